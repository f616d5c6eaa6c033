import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';
import { GatedItemStore } from './support/item-store-wrappers.ts';

const cancel = { cancel: { requestId: 'r' } };
const CANCELLED = { kind: 'ended', outcome: 'CANCELLED' };

/** An agent with one call whose body the test settles. */
function setup() {
  const body = Promise.withResolvers<string>();
  const log: string[] = [];
  const agent = defineAgent({ name: 'worker', output: z.string() }).addAction(
    'work',
    EventType.InputEvent,
    async (_event, ctx) => {
      const value = await ctx.durableExecute({
        id: 'work',
        call: (signal) => {
          log.push('begun');
          signal.addEventListener('abort', () => log.push('aborted'));
          return body.promise;
        },
      });
      log.push('shown');
      await ctx.durableExecute({ id: 'next', call: () => log.push('next') });
      ctx.sendEvent(OutputEvent(value));
    },
  );
  return { bench: new DriveBench([agent]), body, log };
}

/** Holds a drive at one of its writes of the run: the first is the claim, then come how the attempt ends and the final status. */
function holdRunWrite(store: GatedItemStore, which: number): GatedItemStore {
  let writes = 0;
  store.hold(({ key }) => {
    if (key.sk === 'RUN') writes += 1;
    return key.sk === 'RUN' && writes === which;
  });
  return store;
}

const statuses = (bench: DriveBench) => bench.received().map(({ status }) => status);

describe('cancel', () => {
  it.each([{}, { key: 'k' }])('of a run that was not driven yet ends it: %o', async (more) => {
    const { bench, log } = setup();
    await bench.begin('r', null, more);
    await bench.accept(cancel);
    expect(await bench.settle('r')).toMatchObject({ status: 'CANCELLED' });
    expect(statuses(bench)).toEqual(['CANCELLED']);
    expect(log).toEqual([]);
    if ('key' in more) expect(bench.items.items().find(({ sk }) => sk === 'HEAD')?.ac).toBeUndefined();
  });

  it('of a parked run ends it and leaves the key to the others', async () => {
    const { bench, body } = setup();
    await bench.accept({ agent: 'worker', requestId: 'first', key: 'k', input: null });
    await bench.begin('r', null, { key: 'k' });
    await bench.accept({ agent: 'worker', requestId: 'third', key: 'k', input: null });
    expect(await bench.run('r')).toMatchObject({ status: 'PARKED' });
    await bench.accept(cancel);
    expect(await bench.drive('r')).toEqual(CANCELLED);
    body.resolve('done');
    expect(await bench.settle('first')).toMatchObject({ status: 'COMPLETED' });
    expect(await bench.settle('third')).toMatchObject({ status: 'COMPLETED' });
    expect(statuses(bench).filter((status) => status !== undefined)).toEqual(['CANCELLED', 'COMPLETED', 'COMPLETED']);
  });

  it('of a driven run is seen at the next renewal: its calls are given up and nothing more begins', async () => {
    const { bench, log } = setup();
    await bench.begin('r', null);
    const result = bench.drive('r');
    await settleMicrotasks();
    const wakes = bench.wakes.sent.length;
    await bench.accept(cancel);
    // The driver finds the mark; a wake would only be dropped.
    expect(bench.wakes.sent).toHaveLength(wakes);
    bench.clock.advanceBy(19_999);
    await settleMicrotasks();
    expect(log).toEqual(['begun']);
    bench.clock.advanceBy(1);
    expect(await result).toEqual(CANCELLED);
    expect(log).toEqual(['begun', 'aborted']);
    expect(statuses(bench)).toEqual(['CANCELLED']);
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'))).toEqual([]);
  });

  it('of a driven run wins against its completion', async () => {
    const { bench, body, log } = setup();
    await bench.begin('r', null);
    const result = bench.drive('r');
    await settleMicrotasks();
    await bench.accept(cancel);
    body.resolve('done');
    expect(await result).toEqual(CANCELLED);
    expect(log).toContain('next');
    // What finished actions sent before the end was fixed has been promised to nobody: it goes out like that of a FAILED run.
    expect(bench.received()).toMatchObject([{ output: 'done' }, { status: 'CANCELLED' }]);
  });

  it.each([
    ['throws', 1, 'retried'],
    ['does not fit its journal', 2, 'ended'],
  ] as const)('of a driven run wins against an attempt that %s', async (_what, args, kind) => {
    const version = (args: number) =>
      defineAgent({ name: 'worker' }).addAction('work', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({ id: 'first', args, call: () => 1 });
        throw new Error('no');
      });
    const bench = new DriveBench([version(1)]);
    await bench.begin('r', null);
    await bench.drive('r');
    bench.clock.advanceBy(1_000);
    const store = new GatedItemStore(bench.items);
    const result = bench.process({ items: holdRunWrite(store, 2) }).drive('r', [version(args)]);
    await settleMicrotasks();
    await bench.accept(cancel);
    store.release();
    expect(await result).toMatchObject({ kind });
    // The attempt that threw sends the wake that the cancel did not.
    if (kind === 'retried') expect(bench.wakes.waiting().map(({ wake }) => wake.reason)).toContain('cancel');
    expect(await bench.settle('r')).toMatchObject({ status: 'CANCELLED' });
    expect(statuses(bench)).toEqual(['CANCELLED']);
  });

  it('of a run between two attempts ends it at once', async () => {
    const agent = defineAgent({ name: 'worker' }).addAction('work', EventType.InputEvent, () =>
      Promise.reject(new Error('no')),
    );
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    await bench.drive('r');
    await bench.accept(cancel);
    const cancelledAt = bench.clock.now();
    expect(await bench.drive('r')).toEqual(CANCELLED);
    expect(bench.clock.now()).toBe(cancelledAt);
  });

  it('of a run whose end has begun comes too late', async () => {
    const { bench, body } = setup();
    body.resolve('done');
    await bench.begin('r', null);
    const store = new GatedItemStore(bench.items);
    const result = bench.process({ items: holdRunWrite(store, 3) }).drive('r');
    await settleMicrotasks();
    expect(await bench.run('r')).toMatchObject({ status: 'COMPLETING', outcome: 'COMPLETED' });
    await bench.accept(cancel);
    expect(await bench.run('r')).not.toHaveProperty('cancelMark');
    store.release();
    expect(await result).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
  });

  it.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)('leaves a %s run as it is', async (status) => {
    const { bench, body } = setup();
    if (status === 'FAILED') body.reject(new Error('no'));
    else body.resolve('done');
    await bench.begin('r', null);
    if (status === 'CANCELLED') await bench.accept(cancel);
    const ended = await bench.settle('r');
    expect(ended.status).toBe(status);
    const wakes = bench.wakes.sent.length;
    await bench.accept(cancel);
    expect(await bench.run('r')).toEqual(ended);
    expect(bench.wakes.sent).toHaveLength(wakes);
  });

  it('of a run that is not there changes nothing', async () => {
    const { bench } = setup();
    await bench.accept(cancel);
    expect(bench.items.items()).toEqual([]);
    expect(bench.wakes.sent).toEqual([]);
  });

  it('of a run whose driver died ends it when its lease is over', async () => {
    const { bench } = setup();
    await bench.begin('r', null);
    const dying = bench.process();
    void dying.drive('r');
    await settleMicrotasks();
    dying.freeze();
    await bench.accept(cancel);
    expect(await bench.drive('r')).toEqual({ kind: 'dropped', why: 'the run is driven' });
    bench.clock.advanceBy(60_000);
    expect(await bench.drive('r')).toEqual(CANCELLED);
  });

  it('keeps what finished actions sent and remembered', async () => {
    const next = defineEvent('next', z.object({}));
    const agent = defineAgent({ name: 'worker', output: z.number() })
      .addAction('first', EventType.InputEvent, (_event, ctx) => {
        ctx.shortTermMemory.set('n', 1);
        ctx.sendEvent(OutputEvent(1));
        ctx.sendEvent(next({}));
      })
      .addAction('second', next, async (_event, ctx) => {
        ctx.shortTermMemory.set('n', 2);
        await ctx.durableExecute({ id: 'wait', call: () => new Promise(() => {}) });
      });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null, { key: 'k' });
    const result = bench.drive('r');
    await settleMicrotasks();
    await bench.accept(cancel);
    bench.clock.advanceBy(20_000);
    expect(await result).toEqual(CANCELLED);
    expect(bench.received()).toMatchObject([{ output: 1 }, { status: 'CANCELLED' }]);
    expect(bench.items.items().find(({ sk }) => sk === 'MEM#n')?.val).toBe('1');
  });
});
