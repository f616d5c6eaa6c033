import { defineAgent, EventType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';
import { FailingItemStore } from './support/item-store-wrappers.ts';

/** A run with one call that the test settles. */
async function setup(config = {}) {
  const body = Promise.withResolvers<number>();
  const agent = defineAgent({ name: 'worker' }).addAction('work', EventType.InputEvent, async (_event, ctx) => {
    await ctx.durableExecute({ id: 'long', call: () => body.promise });
  });
  const bench = new DriveBench([agent], config);
  await bench.begin('r', null);
  return { bench, body };
}

describe('the lease of a driver', () => {
  it('is renewed every 20 s as long as it works, and made the time at which somebody looks', async () => {
    const { bench, body } = await setup();
    const begun = bench.clock.now();
    const result = bench.drive('r');
    await settleMicrotasks();
    expect(await bench.run('r')).toMatchObject({ leaseUntil: begun + 60_000 });
    for (const [after, until] of [
      [19_000, 60_000],
      [1_000, 80_000],
      [100_000, 180_000],
    ] as const) {
      await bench.pass(after);
      expect(await bench.run('r')).toMatchObject({ leaseUntil: begun + until, dueAt: begun + until });
    }
    expect(await bench.drive('r')).toEqual({ kind: 'dropped', why: 'the run is driven' });
    body.resolve(1);
    expect(await result).toMatchObject({ outcome: 'COMPLETED' });
  });

  it('never passes the end of the invocation', async () => {
    const { bench } = await setup();
    const begun = bench.clock.now();
    void bench.drive('r');
    await bench.pass(290_000);
    expect(await bench.run('r')).toMatchObject({ leaseUntil: begun + 300_000 });
  });

  it('costs one write per renewal', async () => {
    const { bench } = await setup();
    void bench.drive('r');
    await settleMicrotasks();
    bench.items.meter.reset();
    await bench.pass(100_000);
    expect(bench.items.meter.total).toMatchObject({ reads: 0, writes: 5 });
  });

  it('follows its configuration', async () => {
    const { bench } = await setup({ 'run.lease-millis': 3_000 });
    const begun = bench.clock.now();
    void bench.drive('r');
    await settleMicrotasks();
    expect(await bench.run('r')).toMatchObject({ leaseUntil: begun + 3_000, dueAt: begun + 3_000 });
    bench.clock.advanceBy(1_000);
    await settleMicrotasks();
    expect(await bench.run('r')).toMatchObject({ leaseUntil: begun + 4_000 });
  });

  it('outlives a renewal that the store did not answer', async () => {
    const { bench, body } = await setup();
    let failures = 0;
    const flaky = new FailingItemStore(bench.items, ({ operation, key }) => {
      if (operation !== 'update' || key.sk !== 'RUN' || bench.clock.now() % 60_000 === 0) return undefined;
      failures += 1;
      return failures < 3 ? 'before' : undefined;
    });
    const result = bench.process({ items: flaky }).drive('r');
    await bench.pass(55_000);
    expect(failures).toBe(2);
    body.resolve(1);
    bench.clock.advanceBy(4_000);
    expect(await result).toMatchObject({ outcome: 'COMPLETED' });
  });

  it('is over when no renewal came through: the driver stops and writes nothing', async () => {
    const { bench, body } = await setup();
    const down = new FailingItemStore(bench.items, () => (bench.traces.length > 3 ? 'before' : undefined));
    const result = bench.process({ items: down }).drive('r');
    await bench.pass(61_000);
    body.resolve(1);
    expect(await result).toEqual({ kind: 'lost' });
    expect(await bench.run('r')).toMatchObject({ status: 'RUNNING', epoch: 1 });
    expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
  });

  it('that somebody else took is noticed at the next renewal', async () => {
    const { bench } = await setup();
    const result = bench.drive('r');
    await settleMicrotasks();
    await bench.items.update({ pk: 'RUN#r', sk: 'RUN' }, { add: { ep: 1 } }, { kind: 'present', attribute: 'pk' });
    bench.clock.advanceBy(20_000);
    expect(await result).toEqual({ kind: 'lost' });
  });
});
