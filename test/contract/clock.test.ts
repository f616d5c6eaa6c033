import { afterEach, beforeEach, describe, vi } from 'vitest';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { ManualClock } from '../../lib/testing/manual-clock.ts';
import { clockContract } from './clock-contract.ts';

describe('ManualClock', () => {
  clockContract(() => {
    const clock = new ManualClock();
    return { clock, pass: (millis) => clock.advanceBy(millis) };
  });
});

describe('SystemClock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  clockContract(() => ({ clock: new SystemClock(), pass: (millis) => void vi.advanceTimersByTime(millis) }));
});
