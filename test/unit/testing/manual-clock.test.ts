import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

describe('ManualClock', () => {
  it('starts at the same time in every test', () => {
    expect(new Date(new ManualClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
    expect(new ManualClock(5).now()).toBe(5);
  });

  it('shows each timer its own time, also when it moves further', () => {
    const clock = new ManualClock(0);
    const times: number[] = [];
    clock.after(10, () => times.push(clock.now()), 'wait');
    clock.after(25, () => times.push(clock.now()), 'wait');
    clock.advanceTo(100);
    expect(times).toEqual([10, 25]);
    expect(clock.now()).toBe(100);
  });

  it('fires timers of one time in the order in which they were set', () => {
    const clock = new ManualClock(0);
    const names: string[] = [];
    clock.after(10, () => names.push('a'), 'wait');
    clock.after(10, () => names.push('b'), 'background');
    clock.after(10, () => names.push('c'), 'wait');
    clock.advanceBy(10);
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('fires an overdue timer at the next move, even by nothing', () => {
    const clock = new ManualClock(0);
    let fired = 0;
    clock.after(
      -5,
      () => {
        fired += 1;
      },
      'wait',
    );
    expect(fired).toBe(0);
    clock.advanceBy(0);
    expect([fired, clock.now()]).toEqual([1, 0]);
  });

  it('tells the time of the next timer, and of the next one that may be skipped to', () => {
    const clock = new ManualClock(0);
    expect([clock.nextTimer(), clock.nextTimerOf('wait')]).toEqual([undefined, undefined]);
    clock.after(20_000, () => {}, 'background');
    expect([clock.nextTimer(), clock.nextTimerOf('wait')]).toEqual([20_000, undefined]);
    const cancel = clock.after(60_000, () => {}, 'wait');
    clock.after(90_000, () => {}, 'wait');
    expect([clock.nextTimer(), clock.nextTimerOf('wait')]).toEqual([20_000, 60_000]);
    cancel();
    expect(clock.nextTimerOf('wait')).toBe(90_000);
  });

  it('does not cancel by one timer what an other one of the same time does', () => {
    const clock = new ManualClock(0);
    const names: string[] = [];
    const cancel = clock.after(10, () => names.push('cancelled'), 'wait');
    clock.after(5, () => cancel(), 'wait');
    clock.after(10, () => names.push('fires'), 'wait');
    clock.advanceBy(10);
    expect(names).toEqual(['fires']);
  });

  it('refuses to go back', () => {
    const clock = new ManualClock(10);
    expect(() => clock.advanceTo(9)).toThrow('The clock stands at 10 and is moved to 9. Move it forwards.');
    expect(() => clock.advanceBy(Number.NaN)).toThrow('Move it forwards');
  });
});
