import { expect, it } from 'vitest';
import type {
  DeadLetterQueue,
  OutputMessage,
  OutputQueue,
  RefusedMessage,
  Wake,
  WakeQueue,
} from '../../lib/ports/queues.ts';

/** A wake queue, and what a receiver of it gets now and later. */
export interface OpenWakeQueue {
  readonly queue: WakeQueue;
  readonly received: () => Promise<readonly Wake[]>;
  readonly delayed: () => Promise<readonly Wake[]>;
}

export interface QueueContractOptions {
  /** Whether it behaves as SQS does in every corner; an emulator may be laxer. */
  readonly isFaithful: boolean;
}

/** What every wake queue does. `open` gives an empty one. */
export function wakeQueueContract(open: () => OpenWakeQueue, { isFaithful }: QueueContractOptions): void {
  it('delivers a wake at once', async () => {
    const { queue, received, delayed } = open();
    const wake: Wake = { runId: 'run ä #1\ufffe', reason: 'accepted' };
    await queue.send(wake);
    expect(await delayed()).toEqual([]);
    expect(await received()).toEqual([wake]);
  });

  it('holds a delayed wake back', async () => {
    const { queue, received, delayed } = open();
    const wake: Wake = { runId: 'run-1', reason: 'retry' };
    await queue.send(wake, 900);
    expect(await received()).toEqual([]);
    expect(await delayed()).toEqual([wake]);
  });

  it.each(isFaithful ? [901, -1, 0.5] : [])('refuses a delay of %s s', async (delaySeconds) => {
    const { queue, received, delayed } = open();
    await expect(queue.send({ runId: 'run-1', reason: 'retry' }, delaySeconds)).rejects.toThrow();
    expect([await received(), await delayed()]).toEqual([[], []]);
  });
}

/** An output queue, and what a receiver of it gets. */
export interface OpenOutputQueue {
  readonly queue: OutputQueue;
  readonly received: () => Promise<readonly OutputMessage[]>;
}

/** What every output queue does. `open` gives an empty one. */
export function outputQueueContract(open: () => OpenOutputQueue, { isFaithful }: QueueContractOptions): void {
  const message = (index: number, body = `{"n":${index}}`): OutputMessage => ({
    groupId: 'group-1',
    deduplicationId: `event-${index}`,
    body,
  });

  it('delivers messages in their order, more than a batch holds', async () => {
    const { queue, received } = open();
    const messages = Array.from({ length: 23 }, (_, index) => message(index));
    await queue.send(messages);
    expect(await received()).toEqual(messages);
  });

  it('delivers a repeated id once', async () => {
    const { queue, received } = open();
    await queue.send([message(1), message(2)]);
    await queue.send([message(1), message(2), message(3)]);
    expect(await received()).toEqual([message(1), message(2), message(3)]);
  });

  it('takes bodies that fill a batch', async () => {
    const { queue, received } = open();
    const messages = [
      message(1, 'ä'.repeat(400_000)),
      message(2, 'x'.repeat(1_048_576)),
      message(3, '漢'.repeat(90_000)),
    ];
    await queue.send(messages);
    expect(await received()).toEqual(messages);
  });

  it('takes nothing of what has a body above 1 MiB in it', async () => {
    const { queue, received } = open();
    await expect(queue.send([message(1), message(2, '漢'.repeat(349_526))])).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('1048578 bytes'),
    });
    expect(await received()).toEqual([]);
  });

  it('does nothing for nothing', async () => {
    const { queue, received } = open();
    await queue.send([]);
    expect(await received()).toEqual([]);
  });

  it.each(isFaithful ? ['', 'ä', 'a b', 'x'.repeat(129)] : [''])('refuses the id %j', async (id) => {
    const { queue, received } = open();
    await expect(queue.send([{ ...message(1), deduplicationId: id }])).rejects.toThrow();
    await expect(queue.send([{ ...message(1), groupId: id }])).rejects.toThrow();
    expect(await received()).toEqual([]);
  });
}

/** A dead-letter queue, and what an operator finds in it. */
export interface OpenDeadLetterQueue {
  readonly queue: DeadLetterQueue;
  readonly received: () => Promise<readonly RefusedMessage[]>;
}

/** What every dead-letter queue does. `open` gives an empty one. */
export function deadLetterQueueContract(open: () => OpenDeadLetterQueue): void {
  const refused = (body: string): RefusedMessage => ({
    messageId: '6f1d6a5c-7d2f-4d53-9c3e-0d8e2a6f4b11',
    groupId: 'pr-7',
    body,
    reason: 'UNKNOWN_AGENT',
    detail: 'There is no agent "ä". Deploy it, or mend the name.',
  });

  it.each([
    ['JSON', '{"agent":"ä"}'],
    ['unreadable', '{"agent":'],
    ['as large as a message can be', 'ä'.repeat(524_288)],
  ])('keeps a body that is %s, with its reason', async (_, body) => {
    const { queue, received } = open();
    await queue.send(refused(body));
    expect(await received()).toEqual([refused(body)]);
  });
}
