import { describe, expect, it } from 'vitest';
import { type Delivery, OrderLog } from '../../../lib/runner/engine/order-log.ts';
import { Signal } from '../../../lib/runner/engine/signal.ts';

const fact = (ordinal: number): Delivery => ({ ordinal, source: 'earlier', deliver: () => {} });

const logOf = (...recorded: number[]) => new OrderLog(recorded, new Signal());

const drain = (log: OrderLog): readonly number[] => {
  const shown: number[] = [];
  for (let next = log.nextRecorded(); next; next = log.nextRecorded()) shown.push(next.ordinal);
  return shown;
};

describe('recorded facts', () => {
  it('are shown in the recorded order, whatever the order in which they are asked for', () => {
    const log = logOf(3, 1, 2);
    for (const ordinal of [1, 2, 3]) log.register(fact(ordinal));
    expect(drain(log)).toEqual([3, 1, 2]);
  });

  it('that nobody asks for are passed over, and shown at once when somebody does later', () => {
    const log = logOf(1, 2, 3);
    log.register(fact(2));
    expect(log.nextRecorded()?.ordinal).toBe(2);
    log.register(fact(1));
    log.register(fact(3));
    expect(drain(log)).toEqual([1, 3]);
  });

  it('are shown once', () => {
    const log = logOf(1);
    log.register(fact(1));
    expect(drain(log)).toEqual([1]);
    expect(drain(log)).toEqual([]);
  });
});

describe('live outcomes', () => {
  it('are shown in the order in which they came in, not in that of their records', async () => {
    const log = logOf();
    const first = log.arrive();
    const second = log.arrive();
    expect([first.position, second.position]).toEqual([0, 1]);
    second.settle(fact(2));
    const next = log.nextArrival();
    first.settle(fact(1));
    expect((await next)?.ordinal).toBe(1);
    expect((await log.nextArrival())?.ordinal).toBe(2);
    expect(log.nextArrival()).toBeUndefined();
  });

  it('that could not be recorded are never shown', async () => {
    const log = logOf();
    log.arrive().settle(undefined);
    expect(await log.nextArrival()).toBeUndefined();
  });

  it('tell whoever waits for something to happen', async () => {
    const changed = new Signal();
    const waiting = changed.wait();
    new OrderLog([], changed).arrive();
    await waiting;
  });
});
