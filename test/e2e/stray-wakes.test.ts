import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runKey } from '../../lib/store/keys.ts';
import { AGENT, outputOf, readDiff, startTestApp, type TestApp } from './support/test-app.ts';
import { traceOf } from './support/trace-lines.ts';

const input = { diff: readDiff('sample') };

let app: TestApp;
const held = new Map<string, PromiseWithResolvers<void>>();

beforeAll(async () => {
  app = await startTestApp({
    // A wake that fails would come back five times and then be a dead letter, within five seconds.
    overrides: { visibilityTimeoutSeconds: 1 },
    tickets: { beforeAnswer: ({ key }) => held.get(key)?.promise },
  });
});
afterAll(async () => {
  for (const { resolve } of held.values()) resolve();
  await app.close();
});

const sendWake = (body: string) =>
  app.sqs.send(new SendMessageCommand({ QueueUrl: outputOf(app.stack, 'WakeQueueUrl'), MessageBody: body }));
const wake = (runId: string) => sendWake(JSON.stringify({ runId, reason: 'due' }));
const times = (count: number, action: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, action));

async function queueIsEmpty(): Promise<void> {
  const command = new GetQueueAttributesCommand({
    QueueUrl: outputOf(app.stack, 'WakeQueueUrl'),
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  await vi.waitFor(
    async () => expect(Object.values((await app.sqs.send(command)).Attributes ?? {})).toEqual(['0', '0']),
    { timeout: 15_000, interval: 50 },
  );
}

async function deadWakes(): Promise<readonly (string | undefined)[]> {
  const [, queue] = Object.entries(app.stack.resources).find(([id]) => /^WakeQueueDeadLetters/.test(id)) ?? [];
  const { Messages = [] } = await app.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queue?.ref, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => Body);
}

const drivesOf = (runId: string) =>
  traceOf(app.log, runId).filter(({ entity_type, status }) => entity_type === 'run' && status === 'started');

const records = () => Promise.all(['at-work', 'waits'].map((runId) => app.items.get(runKey(runId))));

it('drops what is no wake, and wakes of runs that do not exist', async () => {
  const bodies = [
    'garbage',
    '{',
    'null',
    '[]',
    '{}',
    '"text"',
    '{"runId":7}',
    '{"runId":""}',
    '{"runId":"nobody"}',
    '{"runId":"nobody","reason":"of another version"}',
    '{"runId":"__proto__","reason":"due"}',
    '{"runId":"a#b%2F/\\u0000\\ud83d\\ude00","reason":"due"}',
    '{"runId":"\\ud83d","reason":"due"}',
    JSON.stringify({ runId: 'x'.repeat(129), reason: 'due' }),
    JSON.stringify({ runId: 'x'.repeat(10_000), reason: 'due' }),
    JSON.stringify({ runId: 'nobody', reason: 'due', more: 'x'.repeat(1_000_000) }),
  ];
  await Promise.all(bodies.map(sendWake));
  await queueIsEmpty();
  expect(await deadWakes()).toEqual([]);
  expect(app.stack.invocations.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
});

it('changes nothing about a run that is at work, that waits for its key, or that has ended', async () => {
  held.set('at-work', Promise.withResolvers());
  await app.send({ requestId: 'at-work', agent: AGENT, key: 'woken', input }, { group: 'woken' });
  await vi.waitFor(() => expect(app.ticketsOf('at-work')).toHaveLength(1), { timeout: 10_000 });
  // Before anybody has heard of it.
  await times(3, () => wake('waits'));
  await app.send({ requestId: 'waits', agent: AGENT, key: 'woken', input }, { group: 'woken' });
  await vi.waitFor(async () => expect((await app.items.get(runKey('waits')))?.st).toBe('PARKED'));
  await times(20, () => Promise.all([wake('waits'), wake('at-work')]));
  await queueIsEmpty();
  expect(drivesOf('waits')).toEqual([]);
  expect(drivesOf('at-work')).toHaveLength(1);
  expect(await app.items.get(runKey('waits'))).toMatchObject({ st: 'PARKED', at: 0 });

  held.get('at-work')?.resolve();
  await vi.waitFor(
    async () => expect((await records()).map((record) => record?.st)).toEqual(['COMPLETED', 'COMPLETED']),
    { timeout: 10_000 },
  );
  const before = await records();
  await times(20, () => Promise.all([wake('waits'), wake('at-work')]));
  await queueIsEmpty();
  for (const requestId of ['at-work', 'waits']) {
    expect(drivesOf(requestId)).toHaveLength(1);
    expect((await app.answer(requestId)).messages).toHaveLength(2);
    expect(app.ticketsOf(requestId)).toHaveLength(1);
  }
  expect(await records()).toEqual(before);
  expect(await deadWakes()).toEqual([]);
  expect(app.stack.invocations.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
});
