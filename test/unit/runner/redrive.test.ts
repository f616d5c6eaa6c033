import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';
import { GatedItemStore } from './support/item-store-wrappers.ts';

const redrive = { redrive: { requestId: 'r' } };

describe('redrive of a FAILED run', () => {
  function setup() {
    const made: string[] = [];
    const state = { works: false };
    const shipped = defineEvent('shipped', z.object({ id: z.string() }));
    const agent = defineAgent({ name: 'shop', input: z.string(), output: z.string() })
      .addAction('order', EventType.InputEvent, async (event, ctx) => {
        const optional = await ctx
          .durableExecute({
            id: 'optional',
            call: () => Promise.reject(new Error(`optional ${made.push('optional')}`)),
          })
          .catch((error: Error) => error.message);
        ctx.sendEvent(OutputEvent(optional));
        ctx.sendEvent(shipped({ id: event.input }));
      })
      .addAction('ship', shipped, async (event, ctx) => {
        const call = (id: string, fails = false) =>
          ctx.durableExecute({
            id,
            call: () => {
              made.push(id);
              if (fails && !state.works) throw new Error(`${id} refused`);
              return `${id} ${event.attributes.id}`;
            },
          });
        const booked = await call('book');
        ctx.sendEvent(OutputEvent(`${booked}, ${await call('charge', true)}`));
      });
    return { agent, made, state };
  }

  it.each([{}, { key: 'k' }])(
    'drops the failed calls of unfinished actions and keeps every success: %o',
    async (more) => {
      const { agent, made, state } = setup();
      const bench = new DriveBench([agent]);
      await bench.begin('r', 'a', more);
      expect(await bench.settle('r')).toMatchObject({ status: 'FAILED', redrives: 0 });
      expect(made).toEqual(['optional', 'book', 'charge']);
      state.works = true;
      await bench.accept(redrive);
      expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED', redrives: 1 });
      // The caught failure of the finished action is one of its facts.
      expect(made).toEqual(['optional', 'book', 'charge', 'charge']);
      const outputs = bench.received().filter(({ output }) => output !== undefined);
      expect(outputs.map(({ output }) => output)).toEqual(['optional 1', 'book a, charge a']);
      const statuses = bench.received().filter(({ status }) => status !== undefined);
      expect(statuses.map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED']);
    },
  );

  it('may fail again, and be redriven again, as long as the run is young enough', async () => {
    const { agent, made } = setup();
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'a');
    for (let life = 0; life < 3; life += 1) {
      expect(await bench.settle('r')).toMatchObject({ status: 'FAILED', redrives: life });
      bench.clock.advanceBy(9 * 86_400_000);
      await bench.accept(redrive);
    }
    await bench.settle('r');
    expect(made.filter((id) => id === 'charge')).toHaveLength(4);
    bench.clock.advanceBy(9 * 86_400_000);
    const wakes = bench.wakes.sent.length;
    await bench.accept(redrive);
    expect(await bench.run('r')).toMatchObject({ status: 'FAILED', redrives: 3 });
    expect(bench.wakes.sent).toHaveLength(wakes);
  });

  it.each(['COMPLETED', 'CANCELLED'] as const)('leaves a %s run as it is', async (status) => {
    const { agent, state } = setup();
    state.works = true;
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'a');
    if (status === 'CANCELLED') await bench.accept({ cancel: { requestId: 'r' } });
    const ended = await bench.settle('r');
    expect(ended.status).toBe(status);
    await bench.accept(redrive);
    expect(await bench.run('r')).toEqual(ended);
  });

  it('by two at once starts one new life, and never drops what that life has recorded', async () => {
    const { agent, made, state } = setup();
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'a');
    await bench.settle('r');
    state.works = true;
    const slow = new GatedItemStore(bench.items);
    slow.hold(({ key }) => key.sk.startsWith('CALL#'));
    const late = bench.accept(redrive, slow);
    await settleMicrotasks();
    expect(slow.heldWrites).toBe(1);
    await bench.accept(redrive);
    const gate = new GatedItemStore(bench.items);
    gate.hold(({ key }) => key.sk.startsWith('ACTION#'));
    const dying = bench.process({ items: gate });
    void dying.drive('r');
    await settleMicrotasks();
    dying.freeze();
    expect(made).toEqual(['optional', 'book', 'charge', 'charge']);
    slow.release();
    await late;
    expect(await bench.run('r')).toMatchObject({ redrives: 1 });
    bench.clock.advanceBy(60_000);
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(made).toEqual(['optional', 'book', 'charge', 'charge']);
  });

  it('that stops between the dropped calls and the new life can be repeated', async () => {
    const { agent, made, state } = setup();
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'a');
    await bench.settle('r');
    const gate = new GatedItemStore(bench.items);
    gate.hold(({ key }) => key.sk === 'RUN');
    void bench.accept(redrive, gate);
    await settleMicrotasks();
    expect(await bench.run('r')).toMatchObject({ status: 'FAILED' });
    state.works = true;
    await bench.accept(redrive);
    expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED', redrives: 1 });
    expect(made.at(-1)).toBe('charge');
  });

  it('sees facts in the order in which the earlier life saw them, though a zombie recorded another meanwhile', async () => {
    const bodies = { left: Promise.withResolvers<string>(), right: Promise.withResolvers<string>() };
    const state = { works: false };
    const shown: string[] = [];
    const agent = defineAgent({ name: 'racer' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      const call = (id: 'left' | 'right') => ctx.durableExecute({ id, call: () => bodies[id].promise });
      const first = await Promise.race([call('left'), call('right')]);
      shown.push(first);
      await ctx.durableExecute({
        id: 'pay',
        args: first,
        call: () => (state.works ? 1 : Promise.reject(new Error('no'))),
      });
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const gate = new GatedItemStore(bench.items);
    gate.hold(({ key }) => key.sk.includes('#left#'));
    const zombie = bench.process({ items: gate });
    void zombie.drive('r');
    await settleMicrotasks();
    bodies.left.resolve('left');
    await settleMicrotasks();
    zombie.freeze();
    bench.clock.advanceBy(60_000);

    bodies.left = Promise.withResolvers();
    const second = bench.drive('r');
    await settleMicrotasks();
    bodies.right.resolve('right');
    expect(await second).toEqual({ kind: 'ended', outcome: 'FAILED' });
    gate.release();
    await settleMicrotasks();

    state.works = true;
    await bench.accept(redrive);
    expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED' });
    expect(shown).toEqual(['right', 'right']);
  });

  it('gives the place of a dropped call to its next outcome, not to its old one', async () => {
    const bodies = { fails: Promise.withResolvers<string>(), other: Promise.withResolvers<string>() };
    const shown: string[] = [];
    const agent = defineAgent({ name: 'pair' }).addAction('both', EventType.InputEvent, async (_event, ctx) => {
      const call = (id: 'fails' | 'other') =>
        ctx.durableExecute({ id, call: () => bodies[id].promise }).then((value) => shown.push(value));
      await Promise.all([call('fails'), call('other')]);
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    /** Drives until the process is held at its next write of an item with that key, and dies there. */
    const dieAt = async (sk: string, settle: () => void) => {
      const gate = new GatedItemStore(bench.items);
      const dying = bench.process({ items: gate });
      void dying.drive('r');
      await settleMicrotasks();
      gate.hold(({ key }) => key.sk.startsWith(sk));
      settle();
      await settleMicrotasks();
      expect(gate.heldWrites).toBe(1);
      dying.freeze();
      bench.clock.advanceBy(60_000);
    };
    await dieAt('RUN', () => bodies.fails.reject(new Error('no')));
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'FAILED' });
    expect(await bench.run('r')).toMatchObject({ settleOrder: '1' });

    bodies.fails = Promise.withResolvers();
    await bench.accept(redrive);
    await dieAt('ACTION#', () => {
      bodies.other.resolve('other');
      setImmediate(() => bodies.fails.resolve('fails'));
    });
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(shown).toEqual(['other', 'fails', 'other', 'fails']);
  });
});

describe('redrive of a keyed run', () => {
  const total = z.number().default(0);

  function setup() {
    const state = { works: false };
    const agent = defineAgent({ name: 'tally', input: z.number(), output: z.string() }).addAction(
      'add',
      EventType.InputEvent,
      async (event, ctx) => {
        const before = total.parse(await ctx.shortTermMemory.get('total'));
        ctx.shortTermMemory.set('total', before + event.input);
        await ctx.durableExecute({
          id: 'pay',
          args: before,
          call: () => (state.works || event.input !== 10 ? 1 : Promise.reject(new Error('no'))),
        });
        ctx.sendEvent(OutputEvent(`${before} + ${event.input}`));
      },
    );
    return { agent, state };
  }

  const totalOf = (bench: DriveBench) => bench.items.items().find(({ sk }) => sk === 'MEM#total')?.val;

  it('waits for the key again and sees the memory with which it began, though the key moved on', async () => {
    const { agent, state } = setup();
    const bench = new DriveBench([agent]);
    await bench.accept({ agent: 'tally', requestId: 'first', key: 'k', input: 1 });
    await bench.accept({ agent: 'tally', requestId: 'r', key: 'k', input: 10 });
    await bench.accept({ agent: 'tally', requestId: 'third', key: 'k', input: 100 });
    for (const id of ['first', 'r', 'third']) await bench.settle(id);
    expect(totalOf(bench)).toBe('101');
    expect(await bench.run('r')).toMatchObject({ status: 'FAILED' });

    state.works = true;
    await bench.accept(redrive);
    expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED' });
    const outputs = bench.received().filter(({ output }) => output !== undefined);
    expect(outputs.map(({ output }) => output)).toEqual(
      ['1 (+) 1', '', ''].length === 3 ? ['0 + 1', '1 + 100', '1 + 10'] : [],
    );
  });

  it('stays parked while another run holds the key, and goes before younger ones', async () => {
    const { agent, state } = setup();
    const bench = new DriveBench([agent]);
    await bench.accept({ agent: 'tally', requestId: 'r', key: 'k', input: 10 });
    await bench.settle('r');
    await bench.accept({ agent: 'tally', requestId: 'second', key: 'k', input: 1 });
    await bench.accept({ agent: 'tally', requestId: 'third', key: 'k', input: 2 });
    state.works = true;
    await bench.accept(redrive);
    expect(await bench.drive('r')).toEqual({ kind: 'parked' });
    expect(await bench.run('r')).toMatchObject({ status: 'PARKED' });
    for (const id of ['second', 'r', 'third']) await bench.settle(id);
    const outputs = bench.received().filter(({ output }) => output !== undefined);
    expect(outputs.map(({ output }) => output)).toEqual(['0 + 1', '0 + 10', '10 + 2']);
  });
});
