import { randomUUID } from 'node:crypto';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { outputOf, readDiff, startTestApp, type TestApp } from './support/test-app.ts';

const AGENT = 'diff_report';
const diff = readDiff('sample');

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ticketsOf = (key: string) => app.tickets.tickets().filter((ticket) => ticket.key === key);

describe('a request from a plain AWS SDK', () => {
  it('is answered on the output queue by one output, then the status', async () => {
    const { region, endpoints } = app.stack;
    const sqs = new SQSClient({
      region,
      endpoint: endpoints.sqs,
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    });
    const message = new SendMessageCommand({
      QueueUrl: outputOf(app.stack, 'RequestQueueUrl'),
      MessageGroupId: 'pr-7',
      MessageDeduplicationId: randomUUID(),
      MessageBody: JSON.stringify({ agent: AGENT, key: 'pr-7', requestId: 'pr-7@3f2a', input: { diff } }),
    });
    await sqs.send(message);
    sqs.destroy();
    const { messages } = await app.answer('pr-7@3f2a');
    const about = { requestId: 'pr-7@3f2a', agent: AGENT, key: 'pr-7' };
    expect(messages).toEqual([
      { ...about, eventId: expect.stringMatching(/^.{22}$/), output: expect.objectContaining({ ticket: ticketsOf('pr-7@3f2a')[0]?.id }) },
      { ...about, status: 'COMPLETED' },
    ]);
  });
});
