import { type Message, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqsDeadLetterQueue } from '../../../lib/adapters/sqs-dead-letter-queue.ts';
import type { Terminal } from '../../../lib/cli/command.ts';
import { findRefusal } from '../../../lib/cli/dead-letters.ts';
import { redriveDeadLetters } from '../../../lib/cli/redrive-dead-letters.ts';
import { SqsDeadLetterBox } from '../../../lib/cli/sqs-dead-letter-box.ts';
import { SqsRequestQueue } from '../../../lib/cli/sqs-request-queue.ts';
import { InMemoryPayloadStore } from '../../../lib/testing/in-memory-payload-store.ts';
import { type LocalServices, startLocalServices } from './support/local-services.ts';

let services: LocalServices;
let urls: { readonly requests: string; readonly deadLetters: string };

beforeEach(async () => {
  services = await startLocalServices();
  const { RequestQueueUrl = '', DeadLetterQueueUrl = '' } = services.stack.outputs;
  urls = { requests: RequestQueueUrl, deadLetters: DeadLetterQueueUrl };
});
afterEach(() => services.close());

/** Puts a message there as SQS moves it: with the id of the first message as de-duplication id. */
const bury = (body: string, groupId: string, firstMessageId: string) =>
  services.clients.sqs.send(
    new SendMessageCommand({
      QueueUrl: urls.deadLetters,
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: firstMessageId,
      MessageAttributes: { sender: { DataType: 'String', StringValue: 'shop' } },
    }),
  );

/** Puts a message there as our code refuses it. */
const refuse = (messageId: string, groupId: string) =>
  new SqsDeadLetterQueue({
    client: services.clients.sqs,
    queueUrl: urls.deadLetters,
    payloads: new InMemoryPayloadStore(),
  }).send({ messageId, groupId, body: '{"agent":"x"}', reason: 'UNKNOWN_AGENT', detail: 'There is no agent "x".' });

const box = (queueUrl: string) => new SqsDeadLetterBox({ client: services.clients.sqs, queueUrl, waitSeconds: 0 });

async function redrive() {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    colour: false,
    columns: undefined,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  };
  const { sqs } = services.clients;
  const exitCode = await redriveDeadLetters(
    {
      name: 'the test',
      requests: new SqsRequestQueue(sqs, urls.requests),
      deadLetters: box(urls.deadLetters),
    },
    { terminal },
  );
  return { exitCode, out: out.toSorted(), err: err.join('\n') };
}

async function receiveAll(queueUrl: string): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    });
    const { Messages = [] } = await services.clients.sqs.send(command);
    if (Messages.length === 0) return messages;
    messages.push(...Messages);
  }
}

it('sends what was never answered again, under the id of its first message when it has none of its own', async () => {
  await bury('{"agent":"a","input":"\\ufffd\\u00e9","key":"k"}', 'k', 'first-1');
  await bury('{"agent":"a","input":1,"requestId":"own"}', 'own', 'first-2');
  await bury('{"cancel":{"requestId":"r9"}}', 'r9', 'first-3');
  await bury('no JSON', 'g', 'first-4');
  expect(await redrive()).toEqual({ exitCode: 0, out: ['first-1', 'first-4', 'own', 'r9'], err: '' });
  const sent = await receiveAll(urls.requests);
  const bodies = sent.map(({ Body, Attributes }) => [Attributes?.MessageGroupId, Body]);
  expect(Object.fromEntries(bodies)).toEqual({
    k: '{"agent":"a","key":"k","input":"\ufffdé","requestId":"first-1"}',
    own: '{"agent":"a","input":1,"requestId":"own"}',
    r9: '{"cancel":{"requestId":"r9"}}',
    g: 'no JSON',
  });
  expect(sent.map(({ MessageAttributes }) => MessageAttributes?.sender?.StringValue)).toEqual(Array(4).fill('shop'));
  expect(await receiveAll(urls.deadLetters)).toEqual([]);
});

it('keeps the order of a group', async () => {
  for (const number of [1, 2, 3]) await bury(`{"agent":"a","input":${number}}`, 'k', `first-${number}`);
  await redrive();
  const inputs: unknown[] = [];
  for (const { Body = '' } of await receiveGroupInOrder()) inputs.push(JSON.parse(Body).input);
  expect(inputs).toEqual([1, 2, 3]);
});

/** The local queue gives one message of a group at a time. */
async function receiveGroupInOrder(): Promise<readonly Message[]> {
  const requests = box(urls.requests);
  const bodies: Message[] = [];
  for (let letters = await requests.receive(); letters.length > 0; letters = await requests.receive()) {
    for (const letter of letters) {
      bodies.push({ Body: letter.body });
      await requests.delete(letter);
    }
  }
  return bodies;
}

it('leaves what was refused where others see it at once, and lists it', async () => {
  await refuse('m1', 'g1');
  await bury('{"agent":"a","input":1}', 'g2', 'first');
  await bury('{"agent":"a","input":2}', 'g1', 'hidden');
  const { exitCode, out, err } = await redrive();
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: ['first'] });
  expect(err).toContain('Left in the queue, mend and send them again:');
  expect(err).toMatch(/^m1 {7}UNKNOWN_AGENT {2}There is no agent "x"\.$/m);
  expect(err).toContain('About 1 more stand behind these in their groups.');
  const left = await receiveAll(urls.deadLetters);
  expect(left.map(({ MessageAttributes }) => MessageAttributes?.messageId?.StringValue)).toEqual(['m1']);
});

it('leaves what has no room for its request id, and says so', async () => {
  const others = '{"agent":"a","input":""}senderStringshop';
  const body = JSON.stringify({ agent: 'a', input: 'x'.repeat(1_048_576 - others.length) });
  await bury(body, 'g', 'first');
  const { out, err } = await redrive();
  expect(out).toEqual([]);
  expect(err).toMatch(/PAYLOAD_TOO_LARGE {2}The request has 1048596 bytes/);
  expect(await receiveAll(urls.deadLetters)).toHaveLength(1);
});

it('says that there is nothing', async () => {
  const err = 'No request waits in the dead-letter queue of the test that was never answered.';
  expect(await redrive()).toEqual({ exitCode: 0, out: [], err });
});

it('finds the refusal of a message, and leaves it there', async () => {
  await refuse('m1', 'g1');
  expect(await findRefusal(box(urls.deadLetters), 'm2')).toBeUndefined();
  expect(await findRefusal(box(urls.deadLetters), 'm1')).toBe('UNKNOWN_AGENT: There is no agent "x".');
  expect(await findRefusal(box(urls.deadLetters), 'm1')).toBe('UNKNOWN_AGENT: There is no agent "x".');
});
