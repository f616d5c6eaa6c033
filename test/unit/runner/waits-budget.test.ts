import { type AgentDefinition, defineAgent, EventType, OutputEvent, type RunnerContext } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import type { StoreUsage } from '../../../lib/testing/store-meter.ts';
import { settleMicrotasks } from './support/drive-bench.ts';
import { GatedItemStore } from './support/item-store-wrappers.ts';
import { WaitBench } from './support/wait-bench.ts';
import { HOUR, SECOND } from './support/wait-programs.ts';

const agentOf = (act: (ctx: RunnerContext) => unknown): AgentDefinition =>
  defineAgent({ name: 'acts' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    ctx.sendEvent(OutputEvent((await act(ctx as RunnerContext)) ?? null));
  });

/** What a piece of work costs the store. */
async function costOf(
  bench: WaitBench,
  work: () => Promise<unknown>,
): Promise<StoreUsage & { readonly queries: number }> {
  bench.items.meter.reset();
  await work();
  return { ...bench.items.meter.total, queries: bench.items.meter.operation('query').calls };
}

async function begun(act: (ctx: RunnerContext) => unknown, config = {}): Promise<WaitBench> {
  const bench = new WaitBench([agentOf(act)], config);
  await bench.begin('r');
  return bench;
}

const drive = (bench: WaitBench) => costOf(bench, () => bench.wake('r'));

describe('the store budget of a wait', () => {
  it('is one write to suspend, and one write, one Get and one Query to resume, besides its own two records', async () => {
    const plain = await drive(await begun(() => 1));
    const bench = await begun((ctx) => ctx.sleep(HOUR));
    // The claim, PENDING and the suspension.
    expect(await drive(bench)).toMatchObject({ reads: 1, writes: 3, queries: 0, writeUnits: 1 + 1 + 3 });
    bench.clock.advanceBy(HOUR);
    const resumed = await drive(bench);
    expect(bench.outputsOf('r')).toEqual([null]);
    // The claim changes when the run is due, which is two units of the index; the outcome is one write.
    expect(resumed).toMatchObject({
      reads: plain.reads + 1,
      writes: plain.writes + 1,
      queries: 1,
      writeUnits: plain.writeUnits + 2 + 1,
    });
  });

  it('is the same for several waits that are suspended together', async () => {
    const both = (ctx: RunnerContext) =>
      Promise.all([ctx.sleep(HOUR, { id: 'a' }), ctx.sleep(HOUR, { id: 'b' })]).then(() => 1);
    const bench = await begun(both);
    expect(await drive(bench)).toMatchObject({ reads: 1, writes: 1 + 2 + 1, queries: 0 });
    bench.clock.advanceBy(HOUR);
    // Claim, two outcomes, the action, two writes to end; Get and Query, and the Get of the end.
    expect(await drive(bench)).toMatchObject({ reads: 3, writes: 6, queries: 1 });
  });

  it('is two writes more for a signal, and nothing more for one that does not come in time', async () => {
    const ask = (ctx: RunnerContext) => ctx.waitForSignal('go', { timeoutMillis: HOUR });
    const answered = await begun(ask);
    await drive(answered);
    const signal = await costOf(answered, () => answered.signal('r', 'go', 1));
    // The record, and the mark that makes the run due near.
    expect(signal).toMatchObject({ reads: 1, writes: 2, queries: 0, writeUnits: 1 + 3 });
    const resumed = await drive(answered);
    const expired = await begun(ask);
    await drive(expired);
    expired.clock.advanceBy(HOUR);
    const { writes, reads, queries } = resumed;
    expect(await drive(expired)).toMatchObject({ writes, reads, queries });
    expect(writes).toBe(5);
    expect(queries).toBe(1);
  });

  it('is no suspension for a short wait, and a look at the signals before one of them counts as not come', async () => {
    const sleeping = await begun((ctx) => ctx.sleep(SECOND));
    expect(await drive(sleeping)).toMatchObject({ reads: 2, writes: 6, queries: 0 });
    const asking = await begun((ctx) => ctx.waitForSignal('go', { timeoutMillis: SECOND }));
    expect(await drive(asking)).toMatchObject({ reads: 3, writes: 6, queries: 1 });
  });

  it('is one Get, one Query and one write for a look that finds nothing, and one Get for a wake without a reason', async () => {
    const bench = await begun((ctx) => ctx.waitForSignal('go'));
    await drive(bench);
    expect(await drive(bench)).toMatchObject({ reads: 1, writes: 0 });
    await bench.signal('r', 'other');
    expect(await drive(bench)).toMatchObject({ reads: 2, writes: 1, queries: 1, writeUnits: 3 });
    expect(await drive(bench)).toMatchObject({ reads: 1, writes: 0 });
  });

  it('is a read of the signals and another try when one came just before the suspension', async () => {
    const bench = await begun((ctx) => ctx.waitForSignal('go'));
    const gate = new GatedItemStore(bench.items);
    let writes = 0;
    gate.hold(({ key }) => {
      if (key.sk === 'RUN') writes += 1;
      return key.sk === 'RUN' && writes === 2;
    });
    const cost = await costOf(bench, async () => {
      const driven = bench.invoke('r', { items: gate });
      await settleMicrotasks();
      await bench.signal('r', 'go', 1);
      gate.release();
      await driven;
    });
    expect(bench.outputsOf('r')).toEqual([1]);
    // Without the signal's own Get and two writes: claim, PENDING, the refused suspension, outcome, action, two to end.
    expect(cost).toMatchObject({ reads: 3 + 1, writes: 7 + 2, queries: 1 });
  });

  it('does not grow with what was recorded before, but for the Query that reads it', async () => {
    const usages = [];
    for (const calls of [1, 50]) {
      const bench = await begun(async (ctx) => {
        for (let call = 0; call < calls; call += 1) await ctx.durableExecute({ id: 'call', call: () => call });
        await ctx.sleep(HOUR);
      });
      await drive(bench);
      bench.clock.advanceBy(HOUR);
      const { reads, writes, queries, writeUnits } = await drive(bench);
      usages.push({ reads, writes, queries, writeUnits });
    }
    expect(usages[1]).toEqual(usages[0]);
  });
});
