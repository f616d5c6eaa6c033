import { expect, it } from 'vitest';
import { parseRateMillis } from '../../../lib/local/parse-schedule.ts';

it.each([
  ['rate(1 minute)', 60_000],
  ['rate(15 minutes)', 900_000],
  ['rate(1 hour)', 3_600_000],
  ['rate(2 days)', 172_800_000],
])('reads %s', (expression, millis) => {
  expect(parseRateMillis(expression)).toBe(millis);
});

it.each(['cron(0 12 * * ? *)', 'at(2026-01-01T00:00:00)', 'rate(0 minutes)', 'rate(1 second)', ''])(
  'refuses "%s" and names it',
  (expression) => {
    expect(() => parseRateMillis(expression)).toThrow(`"${expression}"`);
  },
);
