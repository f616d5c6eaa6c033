import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MeasuredCost, measure, pricePerMillion } from './support/measured-cost.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/cost.md'), 'utf8');
const BURST = { drive: 0.1, round: 10 };

/** A row of the table as the page has it. */
function rowOf(name: string): readonly string[] {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| ${name} |`));
  return (
    row
      ?.split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()) ?? []
  );
}

const cells = (cost: MeasuredCost, price: number): readonly string[] => [
  ...[cost.writeUnits, cost.readUnits, cost.wakes, cost.messages, cost.transitions, cost.drives, cost.rounds].map(
    String,
  ),
  price.toFixed(1),
];

describe('the page about costs', () => {
  it.each([
    ['answers at once', 'nothing', {}],
    ['sleeps, for an hour or for weeks', 'sleep', {}],
    ['waits for a signal, for an hour or for weeks', 'signal', {}],
    ['has a job of a second, polled each second', 'job', { intervalMillis: 1_000 }],
    ['has a job of a minute, polled each second', 'job', { intervalMillis: 1_000, probes: 59 }],
    ['has a job of a minute, polled each 5 seconds', 'job', { intervalMillis: 5_000, probes: 11 }],
    ['has a job of a minute, polled each minute', 'job', { intervalMillis: 60_000 }],
  ] as const)('says what a run costs that %s', async (name, kind, options) => {
    const cost = await measure(kind, options);
    expect(rowOf(name)).toEqual(cells(cost, pricePerMillion(cost)));
  });

  it('says what one costs that is polled in bursts', async () => {
    const cost = await measure('job', { intervalMillis: 500, probes: 109 });
    expect(rowOf('has a job of a minute, polled each 500 ms')).toEqual(cells(cost, pricePerMillion(cost, BURST)));
  });
});
