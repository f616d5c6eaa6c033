import { localStackError } from './local-stack-error.ts';

const MILLIS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Milliseconds between two calls of an EventBridge schedule with a fixed rate. */
export function parseRateMillis(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (count === undefined || unit === undefined || Number(count) === 0) {
    throw localStackError(
      `The local stack cannot follow the schedule "${expression}". Use rate(n minutes), rate(n hours) or rate(n days).`,
    );
  }
  return Number(count) * MILLIS[unit as keyof typeof MILLIS];
}
