import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench } from './support/drive-bench.ts';

const DAY_SECONDS = 86_400;

/** Writes items of every kind; it fails until `works`. */
function setup(config = {}) {
  const state = { works: false };
  const agent = defineAgent({ name: 'writer', input: z.string(), output: z.string() }).addAction(
    'write',
    EventType.InputEvent,
    async (event, ctx) => {
      const seen = await ctx.shortTermMemory.get('large', z.string());
      await ctx.durableExecute({ id: 'pay', call: () => (state.works ? 1 : Promise.reject(new Error('no'))) });
      ctx.shortTermMemory.set('large', event.input);
      ctx.sendEvent(OutputEvent(`${seen?.length ?? 'nothing'}`));
    },
  );
  return { bench: new DriveBench([agent], config), state };
}

describe('everything of a run', () => {
  it('expires, in whole seconds, and not before the longest life of the run and its retention are over', async () => {
    const { bench, state } = setup();
    const created = bench.clock.now() / 1_000;
    await bench.begin('r', 'x'.repeat(2_000), { key: 'k' });
    await bench.begin('parked', 'y', { key: 'k' });
    const kinds = () => new Set(bench.items.items().map(({ sk }) => sk.split('#')[0]));
    const seen = kinds();
    await bench.settle('r');
    for (const kind of kinds()) seen.add(kind);
    state.works = true;
    await bench.accept({ redrive: { requestId: 'r' } });
    await bench.settle('parked');
    await bench.settle('r');
    for (const kind of kinds()) seen.add(kind);
    expect([...seen].sort()).toEqual(['ACTION', 'CALL', 'HEAD', 'INBOX', 'INPUT', 'MEM', 'MEMVIEW', 'RUN']);
    for (const { ttl, sk } of bench.items.items()) {
      expect(ttl, sk).toSatisfy(Number.isSafeInteger);
      expect(Number(ttl), sk).toBeGreaterThanOrEqual(created + 44 * DAY_SECONDS);
      expect(Number(ttl), sk).toBeLessThanOrEqual(created + (44 + 30) * DAY_SECONDS + 60);
    }
  });

  it('lives for the configured days', async () => {
    const { bench, state } = setup({ 'run.max-age-days': 2, 'run.retention-days': 3 });
    state.works = true;
    const created = bench.clock.now() / 1_000;
    await bench.begin('r', 'x');
    await bench.settle('r');
    for (const { ttl } of bench.items.items()) expect(ttl).toBe(created + 5 * DAY_SECONDS);
  });

  it('is FAILED at its age when it did not finish, whatever it waits for', async () => {
    const { bench } = setup({ 'run.max-age-days': 1 });
    await bench.begin('r', 'x');
    bench.clock.advanceBy(DAY_SECONDS * 1_000);
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'FAILED' });
    expect(bench.received()).toMatchObject([
      { error: { code: 'RUN_EXPIRED', message: 'The run did not finish within 1 days ("run.max-age-days").' } },
    ]);
  });
});

describe('the memory that a FAILED run began with', () => {
  it.each([
    ['larger than a single value may be', 1_000, { 'payload.max-bytes': 1_500 }],
    ['larger than an item', 60_000, {}],
  ])('is kept though it is %s', async (_what, length, config) => {
    const fields = ['a', 'b', 'c'];
    const state = { works: true };
    const agent = defineAgent({ name: 'keeper', input: z.string(), output: z.number() }).addAction(
      'keep',
      EventType.InputEvent,
      async (event, ctx) => {
        const seen = await Promise.all(fields.map((field) => ctx.shortTermMemory.get(field, z.string())));
        ctx.shortTermMemory.set(event.input, 'x'.repeat(length));
        await ctx.durableExecute({ id: 'pay', call: () => (state.works ? 1 : Promise.reject(new Error('no'))) });
        ctx.sendEvent(OutputEvent(seen.join('').length));
      },
    );
    const bench = new DriveBench([agent], config);
    for (const field of fields) {
      await bench.begin(field, field, { key: 'k' });
      await bench.settle(field);
    }
    state.works = false;
    await bench.begin('r', 'a', { key: 'k' });
    expect(await bench.settle('r')).toMatchObject({ status: 'FAILED' });
    state.works = true;
    await bench.accept({ redrive: { requestId: 'r' } });
    expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED' });
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual([0, length, 2 * length, 3 * length]);
  });
});
