import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { SqsOutputQueue } from '../../../lib/adapters/sqs-output-queue.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';
import {
  openScriptedServer,
  type ScriptedServer,
  type ServiceReply,
  type ServiceRequest,
} from './support/scripted-server.ts';

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly MessageDeduplicationId: string;
}

const entries = ({ body }: ServiceRequest): readonly Entry[] => JSON.parse(body).Entries;
const sentIds = (request: ServiceRequest) => entries(request).map((entry) => entry.MessageDeduplicationId);

/** Takes all entries but those of `failed`, and does not mention those of `forgotten`. */
const take =
  (failed: Record<string, object> = {}, forgotten: readonly string[] = []) =>
  (request: ServiceRequest): ServiceReply => {
    const listed = entries(request).filter((entry) => !forgotten.includes(entry.MessageDeduplicationId));
    const refusal = (entry: Entry) => failed[entry.MessageDeduplicationId];
    const Successful = listed
      .filter((entry) => !refusal(entry))
      .map(({ Id, MessageBody }) => ({
        Id,
        MessageId: `message-${Id}`,
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      }));
    const Failed = listed.filter(refusal).map((entry) => ({ Id: entry.Id, ...refusal(entry) }));
    return { body: JSON.stringify({ Successful, Failed }) };
  };

const internalError = { Code: 'InternalError', SenderFault: false };
const message = (index: number, body = `{"n":${index}}`) => ({ groupId: 'g', deduplicationId: `event-${index}`, body });
const messages = (count: number, body?: string) => Array.from({ length: count }, (_, index) => message(index, body));

describe('SqsOutputQueue', () => {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.close());

  const open = async (script: Parameters<typeof openScriptedServer>[0]) => {
    server = await openScriptedServer(script);
    const client = createLocalClients({ sqs: server.endpoint }).sqs;
    const queue = new SqsOutputQueue({ client, queueUrl: `${server.endpoint}/queue.fifo`, retryMillis: 1 });
    return { queue, requests: server.requests };
  };

  it('sends again what SQS failed to take, and nothing else', async () => {
    const { queue, requests } = await open([take({ 'event-3': internalError }), take()]);
    await queue.send(messages(5));
    expect(requests.map(sentIds)).toEqual([['event-0', 'event-1', 'event-2', 'event-3', 'event-4'], ['event-3']]);
  });

  it('sends a failed entry before the next batch', async () => {
    const { queue, requests } = await open([take({ 'event-9': internalError }), take(), take()]);
    await queue.send(messages(11));
    expect(requests.map(sentIds).slice(1)).toEqual([['event-9'], ['event-10']]);
  });

  it('gives up after five attempts and says what failed', async () => {
    const { queue, requests } = await open(Array(5).fill(take({ 'event-1': internalError })));
    await expect(queue.send(messages(3))).rejects.toThrow('SQS did not take 1 outputs in 5 attempts (InternalError).');
    expect(requests).toHaveLength(5);
  });

  it('does not repeat an entry that is refused as wrong', async () => {
    const fault = { Code: 'InvalidMessageContents', Message: 'bad character', SenderFault: true };
    const { queue, requests } = await open([take({ 'event-0': internalError, 'event-1': fault })]);
    await expect(queue.send(messages(3))).rejects.toThrow('"event-1": InvalidMessageContents, bad character.');
    expect(requests).toHaveLength(1);
  });

  it('does not believe an answer that leaves an entry out', async () => {
    const { queue } = await open([take({}, ['event-2'])]);
    await expect(queue.send(messages(3))).rejects.toThrow('SQS did not account for output "event-2".');
  });

  it('keeps each batch within 10 entries and 1 MiB of UTF-8', async () => {
    const { queue, requests } = await open([take(), take(), take(), take()]);
    // Three of these fill 1,048,575 bytes.
    await queue.send([...messages(8, `${'漢'.repeat(116_508)}x`), ...messages(12)]);
    expect(requests.map((request) => entries(request).length)).toEqual([3, 3, 10, 4]);
    for (const request of requests) {
      const bytes = entries(request).reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
      expect(bytes).toBeLessThanOrEqual(1_048_576);
    }
  });

  it('refuses a message above 1 MiB before it sends anything, with its size', async () => {
    const { queue, requests } = await open([]);
    const sending = queue.send([...messages(20), message(20, '漢'.repeat(349_526))]);
    await expect(sending).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('"event-20" has 1048578 bytes'),
    });
    expect(requests).toEqual([]);
  });

  it('escapes the characters that SQS refuses', async () => {
    const { queue, requests } = await open([take()]);
    await queue.send([message(1, JSON.stringify('a\ufffe\uffff😀'))]);
    expect(requests.flatMap(entries).map(({ MessageBody }) => MessageBody)).toEqual(['"a\\ufffe\\uffff😀"']);
  });
});
