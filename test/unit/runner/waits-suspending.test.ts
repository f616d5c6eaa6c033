import { type AgentDefinition, defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { settleMicrotasks } from './support/drive-bench.ts';
import { FailingItemStore, GatedItemStore, RepeatingItemStore } from './support/item-store-wrappers.ts';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';
import { WaitBench } from './support/wait-bench.ts';
import { HOUR } from './support/wait-programs.ts';

/** Tells the write that suspends the run: the second one of its record, after the claim. */
function suspendingWrite() {
  let writes = 0;
  return ({ key }: { readonly key: { readonly sk: string } }): boolean => {
    if (key.sk === 'RUN') writes += 1;
    return key.sk === 'RUN' && writes === 2;
  };
}

/** An action that also waits for something that the framework does not see. */
function outsider() {
  const outside = Promise.withResolvers<void>();
  const effects: string[] = [];
  const agent = defineAgent({ name: 'outsider' }).addAction('both', EventType.InputEvent, async (_event, ctx) => {
    const late = async () => {
      await outside.promise;
      return ctx.durableExecute({ id: 'late', call: () => effects.push('late') });
    };
    ctx.sendEvent(OutputEvent(await Promise.all([ctx.waitForSignal('go'), late()])));
  });
  return { agent, effects, finish: () => outside.resolve() };
}

async function suspending(agent: AgentDefinition) {
  const bench = new WaitBench([agent]);
  await bench.begin('r');
  bench.loseWakes();
  const gate = new GatedItemStore(bench.items);
  gate.hold(suspendingWrite());
  const drive = bench.invoke('r', { items: gate });
  await settleMicrotasks();
  expect(gate.heldWrites).toBe(1);
  return { bench, gate, drive };
}

describe('what code outside of durable calls asks for while the run is being suspended', () => {
  it('begins only in the drive that resumes it', async () => {
    const { agent, effects, finish } = outsider();
    const { bench, gate, drive } = await suspending(agent);
    finish();
    await settleMicrotasks();
    expect(effects).toEqual([]);
    gate.release();
    expect(await drive).toEqual({ kind: 'suspended' });
    await settleMicrotasks();
    expect(effects).toEqual([]);
    await bench.signal('r', 'go', 1);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(effects).toEqual(['late']);
    expect(bench.outputsOf('r')).toEqual([[1, 1]]);
  });

  it('begins at once when the suspension is refused', async () => {
    const { agent, effects, finish } = outsider();
    const { bench, gate, drive } = await suspending(agent);
    finish();
    await settleMicrotasks();
    await bench.signal('r', 'go', 2);
    gate.release();
    expect(await drive).toMatchObject({ kind: 'ended' });
    expect(effects).toEqual(['late']);
    expect(bench.outputsOf('r')).toEqual([[2, 1]]);
  });

  it('does not begin when the answer to the suspension is lost', async () => {
    const { agent, effects, finish } = outsider();
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    const isSuspending = suspendingWrite();
    const items = new FailingItemStore(bench.items, (write) => {
      if (!isSuspending(write)) return undefined;
      finish();
      return 'after';
    });
    expect(await bench.wake('r', { items })).toEqual({ kind: 'lost' });
    await settleMicrotasks();
    expect(effects).toEqual([]);
    expect(await bench.run('r')).toMatchObject({ status: 'SUSPENDED' });
    await bench.signal('r', 'go', 3);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(effects).toEqual(['late']);
  });

  it('is an end of the action that the next drive comes to again', async () => {
    const outside = Promise.withResolvers<string>();
    const agent = defineAgent({ name: 'gives-up' }).addAction('race', EventType.InputEvent, async (_event, ctx) => {
      ctx.sendEvent(OutputEvent(await Promise.race([ctx.waitForSignal('go'), outside.promise])));
    });
    const { bench, gate, drive } = await suspending(agent);
    outside.resolve('outside');
    await settleMicrotasks();
    gate.release();
    expect(await drive).toEqual({ kind: 'suspended' });
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('ACTION#'))).toEqual([]);
    await bench.signal('r', 'other');
    expect(await bench.heal('r', 3)).toBe('SUSPENDED');
    await bench.signal('r', 'go', 'go');
    expect(await bench.heal('r', 3)).toBe('COMPLETED');
    expect(bench.outputsOf('r')).toEqual(['outside']);
  });

  it('is never answered in a context whose drive was suspended, and writes nothing', async () => {
    const unhandled = collectUnhandledRejections();
    const { agent, effects, finish } = outsider();
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    expect(await bench.wake('r')).toEqual({ kind: 'suspended' });
    const before = bench.items.items();
    finish();
    await settleMicrotasks();
    expect(bench.items.items()).toEqual(before);
    expect(effects).toEqual([]);
    expect(unhandled()).toEqual([]);
  });
});

describe('a driver whose store repeats its writes', () => {
  it('suspends, resumes and takes a signal once', async () => {
    const agent = defineAgent({ name: 'asking' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.sleep(HOUR);
      ctx.sendEvent(OutputEvent([await ctx.waitForSignal('go'), await ctx.waitForSignal('go')]));
    });
    const bench = new WaitBench([agent]);
    const items = new RepeatingItemStore(bench.items);
    await bench.begin('r');
    expect(await bench.wake('r', { items })).toEqual({ kind: 'suspended' });
    bench.clock.advanceBy(HOUR);
    expect(await bench.wake('r', { items })).toEqual({ kind: 'suspended' });
    for (const value of [1, 2]) {
      const message = bench.message({ signal: { requestId: 'r', name: 'go', value } });
      await bench.deliver(message, { ...bench.ports, items: new RepeatingItemStore(bench.items) });
    }
    expect(await bench.wake('r', { items })).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
    expect(bench.outputsOf('r')).toEqual([[1, 2]]);
  });
});
