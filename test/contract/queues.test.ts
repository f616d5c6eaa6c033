import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqsDeadLetterQueue } from '../../lib/adapters/sqs-dead-letter-queue.ts';
import { SqsOutputQueue } from '../../lib/adapters/sqs-output-queue.ts';
import { SqsWakeQueue } from '../../lib/adapters/sqs-wake-queue.ts';
import { InMemoryPayloadStore } from '../../lib/testing/in-memory-payload-store.ts';
import { InMemoryDeadLetterQueue, InMemoryOutputQueue, InMemoryWakeQueue } from '../../lib/testing/in-memory-queues.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { deadLetterQueueContract, outputQueueContract, wakeQueueContract } from './queue-contracts.ts';
import { type Fauxqs, openFauxqs } from './support/fauxqs.ts';

describe('InMemoryWakeQueue', () => {
  wakeQueueContract(
    () => {
      const clock = new ManualClock();
      const queue = new InMemoryWakeQueue(clock);
      const lying = (accepts: (visibleAt: number) => boolean) =>
        queue
          .waiting()
          .filter(({ visibleAt }) => accepts(visibleAt))
          .map(({ wake }) => wake);
      return {
        queue,
        received: async () => lying((visibleAt) => visibleAt <= clock.now()),
        delayed: async () => lying((visibleAt) => visibleAt > clock.now()),
      };
    },
    { isFaithful: true },
  );
});

describe('InMemoryOutputQueue', () => {
  outputQueueContract(
    () => {
      const queue = new InMemoryOutputQueue(new ManualClock());
      return { queue, received: async () => queue.delivered };
    },
    { isFaithful: true },
  );
});

describe('InMemoryDeadLetterQueue', () => {
  deadLetterQueueContract(() => {
    const queue = new InMemoryDeadLetterQueue();
    return { queue, received: async () => queue.sent };
  });
});

describe('in SQS', () => {
  let fauxqs: Fauxqs;
  let queues = 0;
  beforeAll(async () => {
    fauxqs = await openFauxqs();
  });
  afterAll(() => fauxqs.close());

  const createQueue = (suffix = '', attributes: Record<string, string> = {}) => {
    queues += 1;
    const name = `queue-${queues}${suffix}`;
    const { queueUrl } = fauxqs.server.createQueue(name, { attributes });
    const inspect = () => {
      const inspected = fauxqs.server.inspectQueue(name);
      if (inspected === undefined) throw new Error(`There is no queue ${name}.`);
      return inspected.messages;
    };
    return { options: { client: fauxqs.clients.sqs, queueUrl }, inspect };
  };
  const createFifoQueue = () => createQueue('.fifo', { FifoQueue: 'true' });

  describe('SqsWakeQueue', () => {
    wakeQueueContract(
      () => {
        const { options, inspect } = createQueue();
        const parse = ({ body }: { readonly body: string }) => JSON.parse(body);
        return {
          queue: new SqsWakeQueue(options),
          received: async () => inspect().ready.map(parse),
          delayed: async () => inspect().delayed.map(parse),
        };
      },
      { isFaithful: false },
    );
  });

  describe('SqsOutputQueue', () => {
    outputQueueContract(
      () => {
        const { options, inspect } = createFifoQueue();
        return {
          queue: new SqsOutputQueue(options),
          received: async () =>
            inspect().ready.map(({ messageGroupId, messageDeduplicationId, body }) => ({
              groupId: messageGroupId ?? '',
              deduplicationId: messageDeduplicationId ?? '',
              body,
            })),
        };
      },
      { isFaithful: false },
    );
  });

  describe('SqsDeadLetterQueue', () => {
    const open = () => {
      const { options, inspect } = createFifoQueue();
      const payloads = new InMemoryPayloadStore();
      return { queue: new SqsDeadLetterQueue({ ...options, payloads }), payloads, inspect };
    };

    deadLetterQueueContract(() => {
      const { queue, payloads, inspect } = open();
      const received = async () =>
        Promise.all(
          inspect().ready.map(async ({ messageGroupId, messageAttributes, body }) => ({
            messageId: messageAttributes.messageId?.StringValue ?? '',
            groupId: messageGroupId ?? '',
            body: messageAttributes.bodyReference ? await payloads.get(JSON.parse(body)) : body,
            reason: messageAttributes.reason?.StringValue ?? '',
            detail: messageAttributes.detail?.StringValue ?? '',
          })),
        );
      return { queue, received };
    });

    const refused = { messageId: 'message-1', groupId: 'pr-7', body: 'x', reason: 'INVALID_INPUT', detail: 'd' };

    it('takes a message once, however often it is refused', async () => {
      const { queue, inspect } = open();
      await queue.send(refused);
      await queue.send(refused);
      expect(inspect().ready).toHaveLength(1);
    });

    it('replaces what SQS refuses in a message, and shortens the detail', async () => {
      const { queue, inspect } = open();
      await queue.send({ ...refused, detail: `\u0000\uffff${'😀'.repeat(600)}`, reason: '' });
      const attributes = inspect().ready[0]?.messageAttributes;
      expect(attributes?.detail?.StringValue).toBe(`\ufffd\ufffd${'😀'.repeat(499)}`);
      expect(attributes?.reason?.StringValue).toBe('-');
    });

    it('names the stored body in the message when it does not fit', async () => {
      const { queue, payloads, inspect } = open();
      await queue.send({ ...refused, body: 'x'.repeat(1_048_576) });
      const [message] = inspect().ready;
      expect(JSON.parse(message?.body ?? '')).toMatchObject({ key: payloads.keys()[0], bytes: 1_048_576 });
      expect(message?.messageAttributes.bodyReference?.StringValue).toBe(message?.body);
      expect(payloads.keys()[0]).toMatch(/^payload\/!refused\/message-1\/[0-9a-f]{64}$/);
    });
  });
});
