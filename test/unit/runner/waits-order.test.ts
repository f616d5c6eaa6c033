import { defineAgent, EventType, OutputEvent, type RunnerContext } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Clock } from '../../../lib/ports/clock.ts';
import { settleMicrotasks } from './support/drive-bench.ts';
import { FailingItemStore, GatedItemStore } from './support/item-store-wrappers.ts';
import { WaitBench } from './support/wait-bench.ts';
import { DAY, HOUR, MINUTE } from './support/wait-programs.ts';

const LEASE = MINUTE;
const isCall = (id: string) => (write: { readonly key: { readonly sk: string } }) =>
  write.key.sk.startsWith('CALL#') && write.key.sk.includes(`#${id}#`);

/** Begins an invocation that is held at writes of that kind. `die`: none of its timers fires any more, and its lease runs out. */
async function heldAt(bench: WaitBench, holds: (write: { readonly key: { readonly sk: string } }) => boolean) {
  let isDead = false;
  const clock: Clock = {
    now: () => bench.clock.now(),
    after: (millis, callback, kind) => bench.clock.after(millis, () => isDead || callback(), kind),
  };
  const gate = new GatedItemStore(bench.items);
  gate.hold(holds);
  const drive = bench.invoke('r', { items: gate, clock });
  await settleMicrotasks();
  expect(gate.heldWrites).toBeGreaterThan(0);
  const die = (): void => {
    isDead = true;
    bench.clock.advanceBy(LEASE);
  };
  const release = async (): Promise<void> => {
    gate.release();
    await settleMicrotasks();
  };
  return { drive, die, release };
}

describe('the winner of a race', () => {
  const combinators = {
    race: (waits: Promise<unknown>[]) => Promise.race(waits),
    any: (waits: Promise<unknown>[]) => Promise.any(waits),
  };

  it.each(['race', 'any'] as const)('of Promise.%s stays, although the loser ends before the replay', async (name) => {
    const shown: unknown[] = [];
    const agent = defineAgent({ name: 'racer' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      const winner = await combinators[name]([
        ctx.sleep(HOUR).then(() => 'sleep'),
        ctx.waitForSignal('slow'),
        ctx.waitForSignal('quick'),
      ]);
      shown.push(winner);
      ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', args: winner, call: () => winner })));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    await bench.wake('r');
    await bench.signal('r', 'quick', 'quick');
    // Three processes see the winner and die before anything that follows is recorded; meanwhile the others end.
    for (const meanwhile of [() => bench.signal('r', 'slow', 'slow'), () => bench.clock.advanceBy(HOUR), () => {}]) {
      const process = await heldAt(bench, isCall('act'));
      await Promise.resolve(meanwhile());
      process.die();
    }
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
    expect(shown).toEqual(['quick', 'quick', 'quick', 'quick']);
    expect(bench.outputsOf('r')).toEqual(['quick']);
  });

  it('is the one that was shown, also when both are recorded by the drive that dies', async () => {
    const shown: string[] = [];
    const agent = defineAgent({ name: 'racer' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      const note = (name: string) => (value: unknown) => void shown.push(`${name} ${value}`);
      await Promise.all([ctx.waitForSignal('a').then(note('a')), ctx.waitForSignal('b').then(note('b'))]);
      ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', args: [...shown], call: () => 1 })));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    await bench.wake('r');
    await bench.signal('r', 'b', 1);
    await bench.signal('r', 'a', 2);
    const first = await heldAt(bench, isCall('act'));
    expect(shown.splice(0)).toHaveLength(2);
    first.die();
    const second = await heldAt(bench, ({ key }) => key.sk.startsWith('ACTION#'));
    second.die();
    shown.length = 0;
    // Other arguments of the call would block the run.
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
  });

  it('is whoever came first in a drive, by time and not by place', async () => {
    const agent = defineAgent({ name: 'sleepers' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      const order: string[] = [];
      const sleep = (id: string, millis: number) => ctx.sleep(millis, { id }).then(() => order.push(id));
      await Promise.all([sleep('c', 3 * HOUR), sleep('a', HOUR), sleep('b', 2 * HOUR)]);
      ctx.sendEvent(OutputEvent(order.join('')));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    await bench.wake('r');
    expect(await bench.heal('r', 240)).toBe('COMPLETED');
    expect(bench.outputsOf('r')).toEqual(['abc']);
  });
});

describe('a drive that comes late', () => {
  /** Whatever ends first, in the order in which the code names them. */
  const racer = (waits: (ctx: RunnerContext) => readonly Promise<unknown>[]) =>
    defineAgent({ name: 'racer' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      ctx.sendEvent(OutputEvent((await Promise.race(waits(ctx))) ?? 'none'));
    });

  it('shows sleeps as they ended, not as they stand in the code', async () => {
    const bench = new WaitBench([
      racer((ctx) => [
        ctx.sleep(2 * HOUR, { id: 'long' }).then(() => 'long'),
        ctx.sleep(HOUR, { id: 'short' }).then(() => 'short'),
      ]),
    ]);
    await bench.begin('r');
    await bench.wake('r');
    bench.clock.advanceBy(3 * HOUR);
    await bench.wake('r');
    expect(bench.outputsOf('r')).toEqual(['short']);
  });

  it.each([
    { arrives: HOUR - 1, winner: 'signal' },
    { arrives: HOUR, winner: 'sleep' },
    { arrives: HOUR + 1, winner: 'sleep' },
  ])('lets a signal after $arrives ms race against the time of a sleep: $winner', async ({ arrives, winner }) => {
    const bench = new WaitBench([racer((ctx) => [ctx.sleep(HOUR).then(() => 'sleep'), ctx.waitForSignal('go')])]);
    await bench.begin('r');
    await bench.wake('r');
    bench.clock.advanceBy(arrives);
    await bench.signal('r', 'go', 'signal');
    bench.clock.advanceBy(HOUR);
    await bench.wake('r');
    expect(bench.outputsOf('r')).toEqual([winner]);
  });

  it.each([
    { arrives: HOUR, answer: 'go' },
    { arrives: HOUR + 1, answer: 'none' },
  ])('keeps the time of a wait for a signal: after $arrives ms $answer', async ({ arrives, answer }) => {
    const bench = new WaitBench([racer((ctx) => [ctx.waitForSignal('go', { timeoutMillis: HOUR })])]);
    await bench.begin('r');
    await bench.wake('r');
    bench.clock.advanceBy(arrives);
    const message = bench.message({ signal: { requestId: 'r', name: 'go', value: 'go' } });
    await bench.deliver(message);
    bench.clock.advanceBy(HOUR);
    // The same message again is no later signal.
    await bench.deliver(message);
    await bench.wake('r');
    expect(bench.outputsOf('r')).toEqual([answer]);
  });

  it('takes a large signal in its place: it is not read before it is shown', async () => {
    const large = 'x'.repeat(100_000);
    const bench = new WaitBench([
      racer((ctx) => [ctx.waitForSignal('small'), ctx.waitForSignal('large').then((value) => String(value).length)]),
    ]);
    await bench.begin('r');
    await bench.wake('r');
    await bench.signal('r', 'large', large);
    bench.clock.advanceBy(1);
    await bench.signal('r', 'small', 'small');
    await bench.wake('r');
    expect(bench.outputsOf('r')).toEqual([100_000]);
    expect(bench.items.items().filter(({ sk }) => sk.includes('#large#'))).toMatchObject([
      { st: 'SUCCEEDED', ref: expect.any(String) },
      { ref: expect.any(String) },
    ]);
  });
});

describe('signals of one name', () => {
  const pair = defineAgent({ name: 'pair', input: z.array(z.number()) }).addAction(
    'ask',
    EventType.InputEvent,
    async (event, ctx) => {
      const waits = event.input.map((timeoutMillis) => ctx.waitForSignal('go', { timeoutMillis }));
      ctx.sendEvent(OutputEvent((await Promise.all(waits)).map((value) => value ?? 'none')));
    },
  );

  it('go to the waits in the order in which these began, though the first was recorded last', async () => {
    const bench = new WaitBench([pair]);
    await bench.begin('r', [DAY, DAY]);
    await bench.signal('r', 'go', 1);
    await bench.signal('r', 'go', 2);
    const process = await heldAt(bench, ({ key }) => key.sk.endsWith('#go#0'));
    await process.release();
    expect(await process.drive).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([[1, 2]]);
  });

  it('do so also when the process died between the beginnings of two waits', async () => {
    const bench = new WaitBench([pair]);
    await bench.begin('r', [DAY, DAY]);
    await bench.signal('r', 'go', 1);
    await bench.signal('r', 'go', 2);
    const process = await heldAt(bench, ({ key }) => key.sk.endsWith('#go#0'));
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'))).toMatchObject([{ st: 'PENDING' }]);
    process.die();
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([[1, 2]]);
  });

  it('pass over a wait whose time was over', async () => {
    const bench = new WaitBench([pair]);
    await bench.begin('r', [HOUR, DAY]);
    await bench.wake('r');
    bench.clock.advanceBy(HOUR);
    await bench.wake('r');
    await bench.signal('r', 'go', 1);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([['none', 1]]);
  });

  it('do not go to a wait of an action that has ended', async () => {
    const agent = defineAgent({ name: 'ends' })
      .addAction('first', EventType.InputEvent, async (_event, ctx) => {
        await Promise.race([ctx.waitForSignal('go'), ctx.durableExecute({ id: 'quick', call: () => 1 })]);
      })
      .addAction('second', EventType.InputEvent, async (_event, ctx) => {
        ctx.sendEvent(OutputEvent(await ctx.waitForSignal('go')));
      });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    expect(await bench.wake('r')).toEqual({ kind: 'suspended' });
    await bench.signal('r', 'go', 1);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([1]);
  });
});

describe('a driver that lost its lease', () => {
  const twice = defineAgent({ name: 'twice' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
    const first = await ctx.waitForSignal('go', { timeoutMillis: HOUR });
    ctx.sendEvent(OutputEvent([first ?? 'none', await ctx.waitForSignal('go')]));
  });

  it('and recorded that none came leaves the signal to the next wait', async () => {
    const bench = new WaitBench([twice]);
    await bench.begin('r');
    await bench.wake('r');
    bench.clock.advanceBy(HOUR);
    const zombie = await heldAt(bench, isCall('go'));
    zombie.die();
    await bench.signal('r', 'go', 1);
    const driver = await heldAt(bench, isCall('go'));
    await zombie.release();
    await driver.release();
    expect(await driver.drive).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
    expect(bench.outputsOf('r')).toEqual([['none', 1]]);
  });

  it('and recorded a signal has it adopted, and nobody takes that signal twice', async () => {
    const bench = new WaitBench([twice]);
    await bench.begin('r');
    await bench.wake('r');
    await bench.signal('r', 'go', 1);
    const zombie = await heldAt(bench, isCall('go'));
    zombie.die();
    const driver = await heldAt(bench, isCall('go'));
    await zombie.release();
    await driver.release();
    expect(await driver.drive).toEqual({ kind: 'suspended' });
    await bench.signal('r', 'go', 2);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([[1, 2]]);
  });
});

describe('a store that fails', () => {
  it.each(['before', 'after'] as const)(
    'when a wait begins or ends costs an attempt, not the wait: %s the write',
    async (when) => {
      const agent = defineAgent({ name: 'asking' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        await ctx.sleep(HOUR);
        ctx.sendEvent(OutputEvent(await ctx.waitForSignal('go')));
      });
      const bench = new WaitBench([agent]);
      await bench.begin('r');
      const failed = new Set<string>();
      const items = new FailingItemStore(bench.items, ({ operation, key }) => {
        const write = `${operation} ${key.sk}`;
        if (!key.sk.startsWith('CALL#') || failed.has(write)) return undefined;
        failed.add(write);
        return when;
      });
      await bench.signal('r', 'go', 1);
      for (let minute = 0; minute < 120 && (await bench.run('r'))?.status !== 'COMPLETED'; minute += 1) {
        await bench.wake('r', { items });
        bench.clock.advanceBy(MINUTE);
      }
      expect(failed.size).toBe(4);
      expect(bench.outputsOf('r')).toEqual([1]);
    },
  );
});
