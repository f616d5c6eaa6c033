import { type AgentDefinition, defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';

/** What a run costs. `journalReads` are the queries of its partition. */
interface Cost {
  readonly writes: number;
  readonly writeUnits: number;
  readonly reads: number;
  readonly journalReads: number;
}

async function costOf(
  agent: AgentDefinition,
  request: { readonly input?: unknown; readonly key?: string } = {},
  prepare?: (bench: DriveBench) => Promise<void>,
): Promise<Cost> {
  const bench = new DriveBench([agent]);
  await prepare?.(bench);
  const { items } = bench;
  let journalReads = 0;
  const query = items.query.bind(items);
  items.query = (asked) => {
    if (asked.pk.startsWith('RUN#')) journalReads += 1;
    return query(asked);
  };
  items.meter.reset();
  await bench.begin('run-1', request.input ?? null, request.key === undefined ? {} : { key: request.key });
  expect(await bench.drive('run-1')).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
  const { writes, writeUnits, reads } = items.meter.total;
  return { writes, writeUnits, reads, journalReads };
}

const link = defineEvent('link', z.object({ left: z.number() }));

/** A chain of actions, each with its calls. */
const chain = (actions: number, calls: number, more: object = {}) => {
  const work = async (ctx: {
    readonly durableExecute: (call: { id: string; call: () => number }) => Promise<number>;
  }) => {
    for (let call = 0; call < calls; call += 1)
      await ctx.durableExecute({ id: `call-${call}`, call: () => call, ...more });
  };
  return defineAgent({ name: 'chain', output: z.string() })
    .addAction('first', EventType.InputEvent, async (_event, ctx) => {
      await work(ctx);
      if (actions > 1) ctx.sendEvent(link({ left: actions - 2 }));
      else ctx.sendEvent(OutputEvent('done'));
    })
    .addAction('next', link, async (event, ctx) => {
      await work(ctx);
      if (event.attributes.left > 0) ctx.sendEvent(link({ left: event.attributes.left - 1 }));
      else ctx.sendEvent(OutputEvent('done'));
    });
};

const counts = [
  { actions: 1, calls: 0 },
  { actions: 1, calls: 1 },
  { actions: 1, calls: 10 },
  { actions: 7, calls: 0 },
  { actions: 5, calls: 4 },
] as const;

describe('the writes of a fresh run without a key', () => {
  it.each(counts)(
    'are 4 and one for each action and call, and the journal is not read: %o',
    async ({ actions, calls }) => {
      const facts = actions + actions * calls;
      // Two units more: the run enters the index by due time and leaves it.
      expect(await costOf(chain(actions, calls))).toEqual({
        writes: 4 + facts,
        writeUnits: 6 + facts,
        reads: 2,
        journalReads: 0,
      });
    },
  );

  it.each([
    ['reconcile', { reconcile: (call: () => Promise<number>) => call() }],
    ['at-most-once', { semantics: 'at-most-once' }],
  ])('are one more for each call that announces itself: %s', async (_what, more) => {
    expect(await costOf(chain(2, 3, more))).toEqual({
      writes: 4 + 2 + 12,
      writeUnits: 6 + 2 + 12,
      reads: 2,
      journalReads: 0,
    });
  });

  it.each([
    ['just fits the record', 'x'.repeat(380), 5, 7, 2],
    // One read more before it is stored, whether the id is known, and one of the driver.
    ['stands apart', 'x'.repeat(900), 6, 8, 4],
    // 100 KB go to the payload store; their reference stands apart.
    ['of 100 KB', 'x'.repeat(102_400), 6, 8, 4],
  ])('are one more when the input stands apart: %s', async (_what, input, writes, writeUnits, reads) => {
    expect(await costOf(chain(1, 0), { input })).toEqual({ writes, writeUnits, reads, journalReads: 0 });
  });

  it('are none for memory that the run keeps to itself', async () => {
    const agent = defineAgent({ name: 'remembers' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.sensoryMemory.get('a');
      ctx.sensoryMemory.set('a', 1);
      await ctx.shortTermMemory.get('b');
      ctx.shortTermMemory.set('b', 1);
    });
    expect(await costOf(agent)).toEqual({ writes: 5, writeUnits: 7, reads: 2, journalReads: 0 });
  });
});

describe('the writes of a keyed run', () => {
  it.each(counts)('are two more than without a key: %o', async ({ actions, calls }) => {
    const facts = actions + actions * calls;
    const { writes, writeUnits, reads, journalReads } = await costOf(chain(actions, calls), { key: 'k' });
    expect({ writes, writeUnits, journalReads }).toEqual({ writes: 6 + facts, writeUnits: 8 + facts, journalReads: 0 });
    // Without a key 2; A3 is 2 when accepting and 1 when driven; at the end HEAD once and INBOX twice.
    expect(reads).toBe(2 + 3 + 3);
  });

  it('are one more for each field of memory that changed, and a Query at the first use', async () => {
    const agent = (fields: number, reads: boolean) =>
      defineAgent({ name: 'remembers' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
        if (reads) await Promise.all([ctx.shortTermMemory.get('a'), ctx.shortTermMemory.get('b')]);
        for (let field = 0; field < fields; field += 1) ctx.shortTermMemory.set(`f${field}`, field);
      });
    const none = await costOf(agent(0, false), { key: 'k' });
    const read = await costOf(agent(0, true), { key: 'k' });
    expect(read).toEqual({ ...none, reads: none.reads + 1 });
    const written = await costOf(agent(3, false), { key: 'k' });
    // The look at HEAD's turn before memory is written.
    expect(written).toEqual({
      ...none,
      writes: none.writes + 3,
      writeUnits: none.writeUnits + 3,
      reads: none.reads + 1,
    });
  });

  it('are three more when it had to park', async () => {
    const gate = Promise.withResolvers<number>();
    const agent = defineAgent({ name: 'parks', input: z.boolean() }).addAction(
      'act',
      EventType.InputEvent,
      async (event, ctx) => {
        if (event.input) await ctx.durableExecute({ id: 'wait', call: () => gate.promise });
      },
    );
    const bench = new DriveBench([agent]);
    const alone = await costOf(agent, { key: 'k', input: false });
    await bench.accept({ agent: 'parks', requestId: 'run-1', key: 'k', input: true });
    const first = bench.drive('run-1');
    await settleMicrotasks();
    bench.items.meter.reset();
    await bench.accept({ agent: 'parks', requestId: 'run-2', key: 'k', input: false });
    const parking = bench.items.meter.total.writes;
    gate.resolve(1);
    await first;
    bench.items.meter.reset();
    expect(await bench.settle('run-2')).toMatchObject({ status: 'COMPLETED' });
    const driving = bench.items.meter.total.writes;
    // Recorded and parked: 2. Handed over by the first run (K3 and the INBOX entry deleted): 2. The key was given by its end, not by A4.
    expect(parking).toBe(2);
    expect(parking + 2 + driving).toBe(alone.writes + 3 - 1);
  });
});

describe('other writes', () => {
  it('a failed attempt costs its claim and its end, and reads the journal once', async () => {
    let fails = true;
    const agent = defineAgent({ name: 'moody' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'act', call: () => 1 });
      if (fails) throw new Error('no');
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    await bench.drive('r');
    bench.items.meter.reset();
    bench.clock.advanceBy(1_000);
    await bench.drive('r');
    expect(bench.items.meter.total).toMatchObject({ reads: 2, writes: 2 });
    expect(bench.items.meter.operation('query').calls).toBe(1);
    fails = false;
  });

  it('a wake that meets a driven or a finished run costs one read', async () => {
    const gate = Promise.withResolvers<number>();
    const agent = defineAgent({ name: 'slow' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'act', call: () => gate.promise });
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const first = bench.drive('r');
    await settleMicrotasks();
    bench.items.meter.reset();
    await bench.drive('r');
    expect(bench.items.meter.total).toEqual({ reads: 1, writes: 0, readUnits: 1, writeUnits: 0 });
    gate.resolve(1);
    await first;
    bench.items.meter.reset();
    await bench.drive('r');
    expect(bench.items.meter.total).toMatchObject({ reads: 1, writes: 0 });
  });

  it('a cancel costs one write, a redrive one and one per dropped call', async () => {
    const agent = defineAgent({ name: 'fails' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      const call = (id: string) => ctx.durableExecute({ id, call: () => Promise.reject(new Error(id)) });
      await Promise.allSettled([call('a'), call('b')]);
      await call('c');
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    await bench.settle('r');
    bench.items.meter.reset();
    await bench.accept({ redrive: { requestId: 'r' } });
    expect(bench.items.meter.total.writes).toBe(1 + 3);
    bench.items.meter.reset();
    await bench.accept({ cancel: { requestId: 'r' } });
    expect(bench.items.meter.total).toMatchObject({ reads: 0, writes: 1 });
  });
});
