import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmbeddedQueues } from '../../../lib/local/embedded-queues.ts';
import type { EmbeddedService } from '../../../lib/local/embedded-store.ts';

const NAME = 'letters';
let service: EmbeddedService;
let sqs: SQSClient;
let queueUrl = '';

beforeEach(async () => {
  service = await startEmbeddedQueues('us-east-1');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  sqs = new SQSClient({ region: 'us-east-1', endpoint: service.endpoint, credentials });
  await sqs.send(new CreateQueueCommand({ QueueName: NAME }));
  queueUrl = `${service.endpoint}/000000000000/${NAME}`;
});
afterEach(async () => {
  sqs.destroy();
  await service.close();
});

it('listens on 127.0.0.1 only', () => {
  expect(service.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

it('takes every character that SQS takes', async () => {
  const body = '\t\n\r plain é \uD7FF \uE000 \uFFFD 🙂 \u{10FFFF}';
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  expect(Messages?.[0]?.Body).toBe(body);
});

it.each(['\u0000', '\u001F', '\uFFFE', '\uFFFF'])('refuses %j as SQS does', async (character) => {
  const send = sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: `a${character}b` }));
  await expect(send).rejects.toThrow(/Invalid characters/);
});
