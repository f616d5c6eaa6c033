import { expect, it } from 'vitest';
import type { Clock } from '../../lib/ports/clock.ts';

/** A clock, and the way to let time pass on it. */
export interface OpenClock {
  readonly clock: Clock;
  readonly pass: (millis: number) => void;
}

const DAY_MILLIS = 86_400_000;

/** What every clock does. `open` gives one without timers. */
export function clockContract(open: () => OpenClock): void {
  it('tells how much time has passed', () => {
    const { clock, pass } = open();
    const start = clock.now();
    pass(1_500);
    expect(clock.now() - start).toBe(1_500);
  });

  it.each([1, 60_000, 60 * DAY_MILLIS])('calls back once, after %s ms and not before', (millis) => {
    const { clock, pass } = open();
    const start = clock.now();
    const calls: number[] = [];
    clock.after(millis, () => calls.push(clock.now() - start), 'wait');
    pass(millis - 1);
    expect(calls).toEqual([]);
    pass(1);
    pass(millis);
    expect(calls).toEqual([millis]);
  });

  it('calls back in the order of the due times', () => {
    const { clock, pass } = open();
    const calls: string[] = [];
    clock.after(30, () => calls.push('third'), 'wait');
    clock.after(10, () => calls.push('first'), 'wait');
    clock.after(20, () => calls.push('second'), 'background');
    pass(50);
    expect(calls).toEqual(['first', 'second', 'third']);
  });

  it('calls back a timer that a timer set', () => {
    const { clock, pass } = open();
    const start = clock.now();
    const calls: number[] = [];
    const tick = () => {
      calls.push(clock.now() - start);
      clock.after(20, tick, 'wait');
    };
    clock.after(20, tick, 'wait');
    pass(70);
    expect(calls).toEqual([20, 40, 60]);
  });

  it.each([10, 60 * DAY_MILLIS])('does not call back a timer of %s ms that was cancelled', (millis) => {
    const { clock, pass } = open();
    const calls: string[] = [];
    const cancel = clock.after(millis, () => calls.push('called'), 'wait');
    pass(millis - 1);
    cancel();
    cancel();
    pass(millis);
    expect(calls).toEqual([]);
  });
}
