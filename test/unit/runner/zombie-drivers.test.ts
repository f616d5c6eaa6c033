import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, type DriverProcess, settleMicrotasks } from './support/drive-bench.ts';
import { GatedItemStore } from './support/item-store-wrappers.ts';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';

const LEASE_MILLIS = 60_000;

/** Calls whose bodies settle when the test says so, whichever process makes them. */
class Bodies {
  private readonly open: { readonly id: string; readonly resolve: (value: string) => void }[] = [];
  readonly begun: string[] = [];

  call(id: string): Promise<string> {
    this.begun.push(id);
    return new Promise((resolve) => this.open.push({ id, resolve }));
  }

  /** Settles the oldest (or the newest) open body of that id. */
  async settle(id: string, which: 'oldest' | 'newest' = 'newest'): Promise<void> {
    const at =
      which === 'oldest'
        ? this.open.findIndex((body) => body.id === id)
        : this.open.findLastIndex((body) => body.id === id);
    const [body] = this.open.splice(at, 1);
    if (at < 0 || body === undefined) throw new Error(`No body of "${id}" is open.`);
    body.resolve(`${id} done`);
    await settleMicrotasks();
  }
}

const isCall =
  (id: string) =>
  ({ key }: { readonly key: { readonly sk: string } }) =>
    key.sk.startsWith('CALL#') && key.sk.includes(`#${id}#`);

function setup(combine: (calls: Promise<string>[]) => Promise<string> = (calls) => Promise.race(calls)) {
  const bodies = new Bodies();
  const shown: string[] = [];
  const agent = defineAgent({ name: 'racer', output: z.string() }).addAction(
    'race',
    EventType.InputEvent,
    async (_event, ctx) => {
      const call = (id: string) => ctx.durableExecute({ id, call: () => bodies.call(id) });
      const first = await combine([call('left'), call('right')]);
      shown.push(first);
      const after = await ctx.durableExecute({ id: 'after', args: first, call: () => bodies.call('after') });
      ctx.sendEvent(OutputEvent(`${first}, ${after}`));
    },
  );
  const bench = new DriveBench([agent]);
  const start = async (process: DriverProcess) => {
    const result = process.drive('r');
    await settleMicrotasks();
    return result;
  };
  const dies = async (process: DriverProcess) => {
    process.freeze();
    bench.clock.advanceBy(LEASE_MILLIS);
  };
  return { bodies, bench, shown, start, dies };
}

describe('a driver that lost its lease', () => {
  it('cannot change the order that others saw, though its put lands after their claim', async () => {
    const { bodies, bench, shown, dies } = setup();
    await bench.begin('r', null);
    const gate = new GatedItemStore(bench.items);
    const zombie = bench.process({ items: gate });
    void zombie.drive('r');
    await settleMicrotasks();
    gate.hold(isCall('left'));
    await bodies.settle('left');
    expect(gate.heldWrites).toBe(1);
    await dies(zombie);

    const second = bench.process();
    void second.drive('r');
    await settleMicrotasks();
    await bodies.settle('right');
    expect(shown).toEqual(['right done']);
    gate.release();
    await settleMicrotasks();
    await dies(second);

    for (let replay = 0; replay < 2; replay += 1) {
      const third = bench.process();
      void third.drive('r');
      await settleMicrotasks();
      await dies(third);
    }
    const last = bench.drive('r');
    await settleMicrotasks();
    await bodies.settle('after');
    expect(await last).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(new Set(shown)).toEqual(new Set(['right done']));
    expect(bench.received()).toMatchObject([{ output: 'right done, after done' }, { status: 'COMPLETED' }]);
    expect(shown).toHaveLength(4);
  });

  it('has its outcome adopted, at a place that later replays keep', async () => {
    const { bodies, bench, shown, dies } = setup();
    await bench.begin('r', null);
    const gate = new GatedItemStore(bench.items);
    const zombie = bench.process({ items: gate });
    void zombie.drive('r');
    await settleMicrotasks();
    gate.hold(isCall('left'));
    await bodies.settle('left');
    await dies(zombie);

    const second = bench.process();
    void second.drive('r');
    await settleMicrotasks();
    gate.release();
    await settleMicrotasks();
    // The put of the second driver is refused: it shows what the zombie recorded.
    await bodies.settle('left');
    expect(shown).toEqual(['left done']);
    expect((await bench.run('r')).settleOrder).toBe('1');
    await bodies.settle('right');
    await dies(second);

    const last = bench.drive('r');
    await settleMicrotasks();
    await bodies.settle('after');
    expect(await last).toMatchObject({ outcome: 'COMPLETED' });
    expect(shown).toEqual(['left done', 'left done']);
  });

  it('has its outcome adopted after what the second driver saw of its own', async () => {
    const { bodies, bench, dies } = setup();
    const shown: string[] = [];
    const pair = defineAgent({ name: 'racer', output: z.string() }).addAction(
      'race',
      EventType.InputEvent,
      async (_event, ctx) => {
        const call = (id: string) => ctx.durableExecute({ id, call: () => bodies.call(id) });
        await Promise.all(['left', 'right'].map((id) => call(id).then((value) => shown.push(value))));
        await call('after');
      },
    );
    await bench.begin('r', null);
    const gate = new GatedItemStore(bench.items);
    const zombie = bench.process({ items: gate });
    void zombie.drive('r', [pair]);
    await settleMicrotasks();
    gate.hold(isCall('left'));
    await bodies.settle('left');
    await dies(zombie);

    const second = bench.process();
    void second.drive('r', [pair]);
    await settleMicrotasks();
    await bodies.settle('right');
    gate.release();
    await settleMicrotasks();
    await bodies.settle('left');
    expect(shown).toEqual(['right done', 'left done']);
    await dies(second);

    const third = bench.process();
    void third.drive('r', [pair]);
    await settleMicrotasks();
    expect(shown.slice(2)).toEqual(['right done', 'left done']);
  });

  it('does not begin a call whose mark was written after its lease', async () => {
    const begun: string[] = [];
    const agent = defineAgent({ name: 'payer' }).addAction('pay', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'pay', call: () => begun.push('paid'), reconcile: () => begun.push('asked') });
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const gate = new GatedItemStore(bench.items);
    gate.hold(isCall('pay'));
    const zombie = bench.process({ items: gate });
    const result = zombie.drive('r');
    await settleMicrotasks();
    zombie.freeze();
    bench.clock.advanceBy(LEASE_MILLIS);
    gate.release();
    expect(await result).toEqual({ kind: 'lost' });
    expect(begun).toEqual([]);
    expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
    // The mark is there, so it is asked; that nothing happened is for the reconciler to find out.
    expect(begun).toEqual(['asked']);
  });

  it('has its finished action adopted: what it emitted counts', async () => {
    const numbers: number[] = [];
    const agent = defineAgent({ name: 'counter', output: z.number() }).addAction(
      'count',
      EventType.InputEvent,
      async (_event, ctx) => {
        await ctx.durableExecute({ id: 'first', call: () => 1 });
        numbers.push(numbers.length);
        ctx.shortTermMemory.set('n', numbers.length);
        ctx.sendEvent(OutputEvent(numbers.length));
      },
    );
    const bench = new DriveBench([agent]);
    await bench.begin('r', null, { key: 'k' });
    const gate = new GatedItemStore(bench.items);
    gate.hold(({ key }) => key.sk.startsWith('ACTION#'));
    const zombie = bench.process({ items: gate });
    const zombieResult = zombie.drive('r');
    await settleMicrotasks();
    zombie.freeze();
    bench.clock.advanceBy(LEASE_MILLIS);

    const otherGate = new GatedItemStore(bench.items);
    otherGate.hold(({ key }) => key.sk.startsWith('ACTION#'));
    const second = bench.process({ items: otherGate }).drive('r');
    await settleMicrotasks();
    gate.release();
    await settleMicrotasks();
    otherGate.release();
    expect(await second).toMatchObject({ outcome: 'COMPLETED' });
    expect(await zombieResult).toEqual({ kind: 'lost' });
    expect(bench.received()).toMatchObject([{ output: 1 }, { status: 'COMPLETED' }]);
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('MEM#'))).toMatchObject([{ val: '1' }]);
  });

  it('writes nothing, starts nothing and shows nothing after its lease', async () => {
    const unhandled = collectUnhandledRejections();
    const { bodies, bench, shown, dies } = setup();
    await bench.begin('r', null);
    const zombie = bench.process();
    const result = zombie.drive('r');
    await settleMicrotasks();
    await dies(zombie);
    const before = bench.items.items();
    bench.items.meter.reset();
    await bodies.settle('left', 'oldest');
    await bodies.settle('right', 'oldest');
    expect(await result).toEqual({ kind: 'lost' });
    expect(bench.items.items()).toEqual(before);
    expect(bench.items.meter.total.writes).toBe(0);
    expect(bodies.begun).toEqual(['left', 'right']);
    expect(shown).toEqual([]);
    expect(unhandled()).toEqual([]);
  });

  it('does not end the run after its lease, even when nobody else took it', async () => {
    const gateOfEnd = Promise.withResolvers<void>();
    const agent = defineAgent({ name: 'late' }).addAction('wait', EventType.InputEvent, () => gateOfEnd.promise);
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const zombie = bench.process();
    const result = zombie.drive('r');
    await settleMicrotasks();
    zombie.freeze();
    bench.clock.advanceBy(LEASE_MILLIS);
    bench.items.meter.reset();
    gateOfEnd.resolve();
    expect(await result).toEqual({ kind: 'lost' });
    expect(bench.items.meter.total.writes).toBe(0);
    expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
  });

  it('does not fail the run after its lease either', async () => {
    const gateOfEnd = Promise.withResolvers<void>();
    const agent = defineAgent({ name: 'late' }).addAction('wait', EventType.InputEvent, () => gateOfEnd.promise);
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const zombie = bench.process();
    const result = zombie.drive('r');
    await settleMicrotasks();
    zombie.freeze();
    bench.clock.advanceBy(LEASE_MILLIS);
    bench.items.meter.reset();
    gateOfEnd.reject(new Error('too late'));
    expect(await result).toEqual({ kind: 'lost' });
    expect(bench.items.meter.total.writes).toBe(0);
    expect(bench.wakes.sent.map(({ wake }) => wake.reason)).toEqual(['accepted']);
  });
});

describe('an order that was seen', () => {
  it('is kept by Promise.any over several processes, whatever settles meanwhile', async () => {
    const { bodies, bench, shown, dies } = setup((calls) => Promise.any(calls));
    await bench.begin('r', null);
    const first = bench.process();
    void first.drive('r');
    await settleMicrotasks();
    await bodies.settle('right');
    await bodies.settle('left');
    await dies(first);
    for (let replay = 0; replay < 3; replay += 1) {
      const next = bench.process();
      void next.drive('r');
      await settleMicrotasks();
      await dies(next);
    }
    expect(shown).toEqual(['right done', 'right done', 'right done', 'right done']);
  });
});
