import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmbeddedQueues } from '../../../lib/local/embedded-queues.ts';
import type { EmbeddedService } from '../../../lib/local/embedded-store.ts';
import { awaitAnswer, sendRequest } from '../../../lib/local/first-request.ts';

let service: EmbeddedService;
let sqs: SQSClient;
const urlOf = (name: string): string => `${service.endpoint}/000000000000/${name}.fifo`;

beforeEach(async () => {
  service = await startEmbeddedQueues('us-east-1');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  sqs = new SQSClient({ region: 'us-east-1', endpoint: service.endpoint, credentials });
  for (const name of ['requests', 'outputs', 'dead']) {
    await sqs.send(new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }));
  }
});
afterEach(async () => {
  sqs.destroy();
  await service.close();
});

const answered = (timeoutMillis: number) =>
  awaitAnswer({
    sqs,
    outputQueueUrl: urlOf('outputs'),
    deadLetterQueueUrl: urlOf('dead'),
    requestId: 'r1',
    timeoutMillis,
  });

let sent = 0;
const put = (queue: string, body: object, attributes: Readonly<Record<string, string>> = {}) => {
  sent += 1;
  return sqs.send(
    new SendMessageCommand({
      QueueUrl: urlOf(queue),
      MessageBody: JSON.stringify(body),
      MessageGroupId: 'g',
      MessageDeduplicationId: `d${sent}`,
      MessageAttributes: Object.fromEntries(
        Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      ),
    }),
  );
};

it('sends what a sender would', async () => {
  await sendRequest(sqs, urlOf('requests'), { requestId: 'r1', agent: 'a', input: { text: 'x' } });
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: urlOf('requests') }));
  expect(JSON.parse(Messages?.[0]?.Body ?? '')).toEqual({ requestId: 'r1', agent: 'a', input: { text: 'x' } });
});

it('does not send what SQS would not take, and says how much it is', async () => {
  const request = { requestId: 'r1', agent: 'a', input: 'é'.repeat(524_288) };
  await expect(sendRequest(sqs, urlOf('requests'), request)).rejects.toThrow(/has 1048617 bytes.*1048576/);
});

it('collects the outputs of its own request, each once, until the run ends', async () => {
  await put('outputs', { requestId: 'r1', eventId: 'e1', output: 1 });
  await put('outputs', { requestId: 'r2', eventId: 'e9', output: 9 });
  await put('outputs', { requestId: 'r1', eventId: 'e1', output: 1 });
  await put('outputs', { requestId: 'r1', eventId: 'e2', output: { two: 2 } });
  await put('outputs', { requestId: 'r2', status: 'COMPLETED' });
  await put('outputs', { requestId: 'r1', status: 'FAILED', error: { name: 'Error' } });
  expect(await answered(10_000)).toEqual({
    kind: 'ended',
    status: 'FAILED',
    outputs: [1, { two: 2 }],
    error: { name: 'Error' },
  });
});

it('notices a refusal and leaves it in the dead-letter queue', async () => {
  await put('dead', { requestId: 'r1' }, { reason: 'UNKNOWN_AGENT', detail: 'There is no agent "a".' });
  expect(await answered(10_000)).toEqual({
    kind: 'refused',
    reason: 'UNKNOWN_AGENT',
    detail: 'There is no agent "a".',
  });
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: urlOf('dead') }));
  expect(Messages).toHaveLength(1);
});

it('gives up after its time', async () => {
  expect(await answered(100)).toEqual({ kind: 'late' });
});
