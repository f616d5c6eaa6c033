import type { Clock, TimerKind } from '../ports/clock.ts';

// A longer timeout overflows in Node and fires at once.
const MAX_TIMEOUT_MILLIS = 2 ** 31 - 1;

/** The time of the machine. A background timer does not keep the process alive. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  after(millis: number, callback: () => void, kind: TimerKind): () => void {
    let remaining = millis;
    let timeout: NodeJS.Timeout;
    const arm = () => {
      const step = Math.min(remaining, MAX_TIMEOUT_MILLIS);
      remaining -= step;
      timeout = setTimeout(() => (remaining > 0 ? arm() : callback()), step);
      if (kind === 'background') {
        timeout.unref();
      }
    };
    arm();
    return () => clearTimeout(timeout);
  }
}
