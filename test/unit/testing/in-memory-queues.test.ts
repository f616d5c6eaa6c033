import { describe, expect, it } from 'vitest';
import { InMemoryOutputQueue, InMemoryWakeQueue } from '../../../lib/testing/in-memory-queues.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

describe('InMemoryWakeQueue', () => {
  const open = () => {
    const clock = new ManualClock(0);
    return { clock, queue: new InMemoryWakeQueue(clock) };
  };

  it('gives messages when they become visible, in that order', async () => {
    const { clock, queue } = open();
    await queue.send({ runId: 'late', reason: 'retry' }, 2);
    await queue.send({ runId: 'early', reason: 'retry' }, 1);
    await queue.send({ runId: 'now', reason: 'accepted' });
    expect(queue.takeVisible()?.wake.runId).toBe('now');
    expect(queue.takeVisible()).toBeUndefined();
    expect(queue.nextVisibleAt()).toBe(1_000);
    clock.advanceTo(2_000);
    expect([queue.takeVisible(), queue.takeVisible()].map((message) => message?.wake.runId)).toEqual(['early', 'late']);
    expect(queue.nextVisibleAt()).toBeUndefined();
  });

  it('remembers what was sent after it was taken', async () => {
    const { clock, queue } = open();
    clock.advanceTo(5);
    await queue.send({ runId: 'a', reason: 'retry' }, 1);
    const [message] = queue.waiting();
    expect(message && queue.take(message)).toEqual({
      id: 1,
      wake: { runId: 'a', reason: 'retry' },
      sentAt: 5,
      visibleAt: 1_005,
    });
    expect(queue.sent).toEqual([message]);
    expect(queue.waiting()).toEqual([]);
  });

  it('delivers a message again that was given back', async () => {
    const { clock, queue } = open();
    await queue.send({ runId: 'a', reason: 'accepted' });
    const message = queue.takeVisible();
    if (message === undefined) throw new Error('Nothing was delivered.');
    queue.giveBack(message, 30_000);
    expect(queue.takeVisible()).toBeUndefined();
    clock.advanceTo(30_000);
    expect(queue.takeVisible()).toEqual({ ...message, visibleAt: 30_000 });
    expect(queue.sent).toHaveLength(1);
  });

  it('does not give a message twice', async () => {
    const { queue } = open();
    await queue.send({ runId: 'a', reason: 'accepted' });
    const message = queue.takeVisible();
    if (message === undefined) throw new Error('Nothing was delivered.');
    expect(() => queue.take(message)).toThrow('Wake message 1 is not in the queue.');
  });
});

describe('InMemoryOutputQueue', () => {
  it('forgets an id five minutes after its first message', async () => {
    const clock = new ManualClock(0);
    const queue = new InMemoryOutputQueue(clock);
    const message = { groupId: 'g', deduplicationId: 'event-1', body: '{}' };
    const delivered: number[] = [];
    for (const time of [0, 200_000, 299_999, 300_000, 599_999]) {
      clock.advanceTo(time);
      await queue.send([message]);
      delivered.push(queue.delivered.length);
    }
    expect(delivered).toEqual([1, 1, 1, 2, 2]);
    expect(queue.sent).toHaveLength(5);
  });
});
