import { randomUUID } from 'node:crypto';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AGENT, outputOf, readDiff, startTestApp, type TestApp } from './support/test-app.ts';
import { traceOf } from './support/trace-lines.ts';

const diff = readDiff('sample');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const refusalsOf = (messageId: string) =>
  vi.waitFor(
    () => {
      const found = app.refusals.messages.filter(({ attributes }) => attributes.messageId === messageId);
      expect(found).toHaveLength(1);
      return found[0];
    },
    { timeout: 10_000 },
  );

describe('a request from a plain AWS SDK', () => {
  it('is answered on the output queue by its output, then by its status', async () => {
    const { region, endpoints } = app.stack;
    const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
    const sqs = new SQSClient({ region, endpoint: endpoints.sqs, credentials });
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: outputOf(app.stack, 'RequestQueueUrl'),
        MessageGroupId: 'pr-7',
        MessageDeduplicationId: randomUUID(),
        MessageBody: JSON.stringify({ agent: AGENT, key: 'pr-7', requestId: 'pr-7@3f2a', input: { diff } }),
      }),
    );
    sqs.destroy();
    const { messages } = await app.answer('pr-7@3f2a');
    const about = { requestId: 'pr-7@3f2a', agent: AGENT, key: 'pr-7' };
    const [ticket] = app.ticketsOf('pr-7@3f2a');
    expect(messages).toEqual([
      {
        ...about,
        eventId: expect.stringMatching(/^[\w-]{22}$/),
        output: expect.objectContaining({
          summary: '3 files changed, 10 lines added, 3 removed. 1 error, 1 warning, 1 notice.',
          ticket: `${app.tickets.url}/tickets/${ticket?.id}`,
        }),
      },
      { ...about, status: 'COMPLETED' },
    ]);
    const groups = app.outputs.messages.filter(({ text }) => text.includes('pr-7@3f2a')).map(({ group }) => group);
    expect(new Set(groups).size).toBe(1);
    expect(groups[0]).toMatch(/^[\x21-\x7e]{1,128}$/);
  });

  it('gets its message id as request id when it names none', async () => {
    const messageId = await app.send({ agent: AGENT, input: { diff: '' } });
    const { messages } = await app.answer(messageId);
    expect(messages).toEqual([
      {
        requestId: messageId,
        agent: AGENT,
        eventId: expect.any(String),
        output: { summary: 'The diff is empty. No findings.', files: [], findings: [], omittedFindings: 0 },
      },
      { requestId: messageId, agent: AGENT, status: 'COMPLETED' },
    ]);
  });
});

describe('a request id', () => {
  it('gives one run, one ticket and one answer, however often and in whatever group it is sent', async () => {
    const request = { requestId: 'ten-times', agent: AGENT, key: 'a key', input: { diff } };
    const reordered = { input: { diff }, key: 'a key', agent: AGENT, requestId: 'ten-times' };
    const groups = ['g1', 'g1', 'g1', 'g2', 'g2', 'g3', 'g4', 'g5', 'g5'];
    await Promise.all(groups.map((group, index) => app.send(index % 2 === 0 ? request : reordered, { group })));
    await app.answer('ten-times');
    await app.send(request, { group: 'g1' });
    // Everything of this group was taken when the last of it is answered.
    await app.send({ requestId: 'after-ten', agent: AGENT, input: { diff: '' } }, { group: 'g1' });
    await app.answer('after-ten');
    const { messages } = await app.answer('ten-times');
    expect(messages.map((message) => Object.keys(Object(message)).at(-1))).toEqual(['output', 'status']);
    expect(app.ticketsOf('ten-times')).toHaveLength(1);
    const drives = traceOf(app.log, 'ten-times').filter(({ entity_type }) => entity_type === 'run');
    expect(drives.map(({ status }) => status)).toEqual(['started', 'success']);
    expect(app.refusals.messages.filter(({ text }) => text.includes('ten-times'))).toEqual([]);
  });

  it.each([
    ['another input', { requestId: 'taken', agent: AGENT, key: 'k', input: { diff: 'another' } }],
    ['another key', { requestId: 'taken', agent: AGENT, key: 'another', input: { diff } }],
    ['no key', { requestId: 'taken', agent: AGENT, input: { diff } }],
  ])('that is taken, with %s, goes to the dead-letter queue', async (_what, request) => {
    await app.send({ requestId: 'taken', agent: AGENT, key: 'k', input: { diff } }, { group: 'taken' });
    const messageId = await app.send(request, { group: 'taken' });
    const refused = await refusalsOf(messageId);
    expect(refused).toMatchObject({
      text: JSON.stringify(request),
      group: 'taken',
      attributes: {
        reason: 'REQUEST_ID_REUSED',
        detail: expect.stringMatching(/"taken" belongs to a request with another/),
      },
    });
    expect(await app.answer('taken')).toMatchObject({ status: 'COMPLETED', messages: [{ key: 'k' }, { key: 'k' }] });
    expect(app.ticketsOf('taken')).toHaveLength(1);
  });
});
