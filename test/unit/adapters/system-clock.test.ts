import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../lib/adapters/system-clock.ts';

describe('SystemClock', () => {
  it('keeps the process alive for a timer, unless it is a background one', () => {
    const clock = new SystemClock();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const active = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length - before;
    const cancelBackground = clock.after(60_000, () => {}, 'background');
    expect(active()).toBe(0);
    const cancel = clock.after(60_000, () => {}, 'wait');
    expect(active()).toBe(1);
    cancel();
    cancelBackground();
    expect(active()).toBe(0);
  });
});
