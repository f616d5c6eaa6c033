import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { itemBytes } from '../../../lib/testing/item-size.ts';
import { DriveBench } from './support/drive-bench.ts';

const link = defineEvent('link', z.object({ left: z.number() }));

/** A run with that many calls, one after another. */
async function runCalls(count: number) {
  const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    for (let step = 0; step < count; step += 1)
      await ctx.durableExecute({ id: 'step', args: { step }, call: () => ({ step }) });
  });
  const bench = new DriveBench([agent]);
  await bench.begin('r', null);
  // Of this process alone, so that a busy machine changes little.
  const before = process.cpuUsage();
  expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
  const { user, system } = process.cpuUsage(before);
  return { bench, cpuMillis: (user + system) / 1_000 };
}

/** A chain of that many actions. */
async function runChain(count: number) {
  const agent = defineAgent({ name: 'chain_of_long_names' })
    .addAction('start_the_chain_with_a_long_name', EventType.InputEvent, (_event, ctx) =>
      ctx.sendEvent(link({ left: count })),
    )
    .addAction('another_link_of_the_chain_with_a_long_name', link, async (event, ctx) => {
      const round = (await ctx.sensoryMemory.get('round', z.number())) ?? 0;
      ctx.sensoryMemory.set('round', round + 1);
      if (event.attributes.left > 0) ctx.sendEvent(link({ left: event.attributes.left - 1 }));
      else ctx.sendEvent(OutputEvent(round));
    });
  const bench = new DriveBench([agent]);
  await bench.begin('r', null);
  expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
  return bench;
}

/** Sizes of the journal's items, in the order of their starts. */
const journalBytes = (bench: DriveBench): readonly number[] =>
  bench.items
    .items()
    .filter(({ sk }) => sk.startsWith('CALL#') || sk.startsWith('ACTION#'))
    .sort((a, b) => Number(a.or) - Number(b.or))
    .map(itemBytes);

const average = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0) / numbers.length;

describe('the journal grows with what is new', () => {
  it('by the same bytes for each call, over 1,000 calls', async () => {
    const { bench } = await runCalls(1_000);
    const sizes = journalBytes(bench);
    expect(sizes).toHaveLength(1_001);
    // Only the digits of the occurrence, ordinal and position differ.
    const calls = sizes.slice(1);
    expect(Math.max(...calls) - Math.min(...calls)).toBeLessThan(30);
    expect(bench.items.meter.total.writes).toBe(4 + 1 + 1_000);
    expect(bench.items.meter.total.writeUnits).toBe(6 + 1 + 1_000);
  });

  it('by the same bytes for each action of a chain, whose path would grow without end', async () => {
    const bench = await runChain(500);
    const sizes = journalBytes(bench);
    expect(sizes).toHaveLength(502);
    expect(Math.max(...sizes)).toBeLessThan(700);
    // The path is whole for the first few links.
    expect(average(sizes.slice(-100))).toBeLessThan(average(sizes.slice(10, 110)) + 10);
  });

  it('and the record of the run stays below 8 KB', async () => {
    const { bench } = await runCalls(1_000);
    const run = bench.items.items().find(({ sk }) => sk === 'RUN');
    expect(itemBytes(run ?? {})).toBeLessThan(1_024);
  });
});

describe('the time of a call', () => {
  it('stays flat over 1,600 calls of one run', async () => {
    await runCalls(200);
    const short = await runCalls(200);
    const long = await runCalls(1_600);
    // Eight times the calls. The factor 3 leaves room for the collector; a quadratic run takes 64 times as long.
    expect(long.cpuMillis).toBeLessThan(short.cpuMillis * 8 * 3);
  });

  it('that is replayed costs no store call at all', async () => {
    let fails = true;
    const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
      for (let step = 0; step < 300; step += 1) await ctx.durableExecute({ id: 'step', call: () => step });
      if (fails) throw new Error('not yet');
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    await bench.drive('r');
    fails = false;
    bench.clock.advanceBy(1_000);
    bench.items.meter.reset();
    expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
    // Get, Query and the Get of the end; claim, action, completing, final.
    expect(bench.items.meter.total).toMatchObject({ reads: 3, writes: 4 });
  });
});
