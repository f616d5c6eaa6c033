import { type AgentDefinition, defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { WaitBench } from './support/wait-bench.ts';
import { HOUR, MINUTE } from './support/wait-programs.ts';

const asking = defineAgent({ name: 'asking' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  ctx.sendEvent(
    OutputEvent([await ctx.waitForSignal('go'), (await ctx.waitForSignal('go', { timeoutMillis: HOUR })) ?? 'none']),
  );
});
const once = defineAgent({ name: 'once' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  ctx.sendEvent(OutputEvent(await ctx.waitForSignal('go')));
});

async function suspended(agent: AgentDefinition = once, more: { readonly key?: string } = {}): Promise<WaitBench> {
  const bench = new WaitBench([agent], { 'payload.max-bytes': 200_000 });
  await bench.begin('r', null, more);
  expect(await bench.wake('r')).toEqual({ kind: 'suspended' });
  bench.loseWakes();
  return bench;
}

const dueIn = async (bench: WaitBench, runId = 'r') => ((await bench.run(runId))?.dueAt ?? 0) - bench.clock.now();

describe('a signal', () => {
  it('for a run that is not known is refused, with what to do', async () => {
    const bench = new WaitBench([once]);
    expect(await bench.signal('r', 'go')).toMatchObject({ kind: 'refused', reason: 'UNKNOWN_RUN' });
    expect(bench.deadLetters.sent).toMatchObject([
      { reason: 'UNKNOWN_RUN', detail: 'There is no run "r". Send its request first, then the signal again.' },
    ]);
    expect(bench.items.items()).toEqual([]);
  });

  it.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)('for a %s run changes nothing', async (outcome) => {
    const fails = defineAgent({ name: 'fails' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      if (outcome === 'FAILED') await ctx.durableExecute({ id: 'no', call: () => Promise.reject(new Error('no')) });
    });
    const bench = new WaitBench([fails]);
    await bench.begin('r');
    if (outcome === 'CANCELLED') await bench.accept({ cancel: { requestId: 'r' } });
    await bench.wake('r');
    expect(await bench.run('r')).toMatchObject({ status: outcome });
    const before = bench.items.items();
    expect(await bench.signal('r', 'go')).toEqual({ kind: 'nothing-to-do', runId: 'r', why: `the run is ${outcome}` });
    expect(bench.items.items()).toEqual(before);
    expect(bench.deadLetters.sent).toEqual([]);
  });

  it('for a suspended run makes it due near and wakes it', async () => {
    const bench = await suspended();
    expect(await bench.signal('r', 'go', 1)).toEqual({ kind: 'signalled', runId: 'r' });
    expect(await dueIn(bench)).toBe(MINUTE);
    expect(bench.wakes.waiting()).toMatchObject([{ wake: { runId: 'r', reason: 'signal' } }]);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([1]);
  });

  it('that nobody waits for is kept, and the run is not looked at again for it', async () => {
    const bench = await suspended();
    const before = await dueIn(bench);
    await bench.signal('r', 'other', 1);
    expect(await bench.wake('r')).toEqual({ kind: 'dropped', why: 'nothing that the run waits for has happened' });
    expect(await dueIn(bench)).toBe(before);
    expect(await bench.wake('r')).toEqual({ kind: 'dropped', why: 'nothing has happened' });
    expect(await bench.run('r')).toMatchObject({ status: 'SUSPENDED' });
  });

  it('for a run that waits for its key leaves it asleep, and is there when it begins', async () => {
    const bench = await suspended(once, { key: 'k' });
    await bench.begin('second', null, { key: 'k' });
    await bench.heal('second', 2);
    const before = await dueIn(bench, 'second');
    expect(before).toBeGreaterThan(HOUR);
    await bench.signal('second', 'go', 2);
    expect(await dueIn(bench, 'second')).toBe(before);
    expect(bench.wakes.waiting()).toEqual([]);
    expect(await bench.run('second')).toMatchObject({ status: 'PARKED' });
    await bench.signal('r', 'go', 1);
    expect(await bench.heal('r', 2)).toBe('COMPLETED');
    expect(await bench.heal('second', 3)).toBe('COMPLETED');
    expect(bench.outputsOf('second')).toEqual([2]);
  });

  it('for a BLOCKED run leaves it so, and is there after the redrive', async () => {
    const other = defineAgent({ name: 'once' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.sleep(1, { id: 'go' });
    });
    const bench = await suspended();
    await bench.signal('r', 'go', 1);
    expect(await bench.wake('r', { agents: [other] })).toMatchObject({ kind: 'blocked' });
    const before = await dueIn(bench);
    bench.loseWakes();
    expect(await bench.signal('r', 'go', 2)).toEqual({ kind: 'signalled', runId: 'r' });
    expect(await dueIn(bench)).toBe(before);
    expect(bench.wakes.waiting()).toEqual([]);
    await bench.accept({ redrive: { requestId: 'r' } });
    expect(await bench.heal('r', 2)).toBe('COMPLETED');
    expect(bench.outputsOf('r')).toEqual([1]);
  });

  it('delivered ten times is one signal', async () => {
    const bench = await suspended(asking);
    const message = bench.message({ signal: { requestId: 'r', name: 'go', value: 1 } });
    for (let delivery = 0; delivery < 5; delivery += 1) await bench.deliver(message);
    expect(await bench.wake('r')).toEqual({ kind: 'suspended' });
    for (let delivery = 0; delivery < 5; delivery += 1) await bench.deliver(message);
    expect(await bench.heal('r', 65)).toBe('COMPLETED');
    expect(bench.outputsOf('r')).toEqual([[1, 'none']]);
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('SIGNAL#'))).toHaveLength(1);
  });

  it('twice in two messages is two signals, though they are equal', async () => {
    const bench = await suspended(asking);
    await bench.signal('r', 'go', 1);
    await bench.signal('r', 'go', 1);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual([[1, 1]]);
  });

  it('may have any name that an id may have', async () => {
    const name = 'für/alle #1 %';
    const agent = defineAgent({ name: 'named' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      ctx.sendEvent(OutputEvent(await ctx.waitForSignal(name)));
    });
    const bench = await suspended(agent);
    await bench.signal('r', name, 'yes');
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual(['yes']);
  });

  it('shares no slot with a call or a sleep of the same name', async () => {
    const agent = defineAgent({ name: 'shared' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const made = await ctx.durableExecute({ id: 'go', call: () => 'made' });
      const told = await ctx.waitForSignal('go');
      await ctx.sleep(HOUR, { id: 'go' });
      ctx.sendEvent(OutputEvent([made, told]));
    });
    const bench = await suspended(agent);
    await bench.signal('r', 'go', 'told');
    expect(await bench.heal('r', 70)).toBe('COMPLETED');
    expect(bench.outputsOf('r')).toEqual([['made', 'told']]);
  });
});

describe('the value of a signal', () => {
  it.each([0, false, '', null, [], {}, [1, [2]], { $: 'undefined' }, { a: { b: 'c' } }, 'x'.repeat(64_000)])(
    'comes as it was sent: %j',
    async (value) => {
      const bench = await suspended();
      await bench.signal('r', 'go', value);
      await bench.wake('r');
      expect(bench.outputsOf('r')).toEqual([value]);
    },
  );

  it('is null when none was sent: undefined says that no signal came', async () => {
    const bench = await suspended();
    await bench.signal('r', 'go');
    await bench.wake('r');
    expect(bench.outputsOf('r')).toEqual([null]);
  });

  it('is stored apart when it is large', async () => {
    const large = 'x'.repeat(100_000);
    const bench = await suspended(asking);
    await bench.signal('r', 'go', large);
    expect(bench.items.items().find(({ sk }) => sk.startsWith('SIGNAL#'))).toMatchObject({ ref: expect.any(String) });
    expect(await bench.wake('r')).toEqual({ kind: 'suspended' });
    await bench.signal('r', 'go', 2);
    expect(await bench.wake('r')).toMatchObject({ kind: 'ended' });
    const [output] = bench.outputsOf('r') as [[string, number]];
    expect([output[0].length, output[1]]).toEqual([100_000, 2]);
  });

  it('beyond the limit of a value is refused, and the run waits on', async () => {
    const bench = await suspended();
    expect(await bench.signal('r', 'go', 'x'.repeat(200_000))).toMatchObject({
      kind: 'refused',
      reason: 'INVALID_INPUT',
      detail: expect.stringContaining('The value of the signal has 200002 bytes, the limit is 200000'),
    });
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('SIGNAL#'))).toEqual([]);
    expect(await bench.run('r')).toMatchObject({ status: 'SUSPENDED', wakeCount: 0 });
  });

  it.each([
    { signal: { requestId: 'r' } },
    { signal: { requestId: 'r', name: '' } },
    { signal: { requestId: '', name: 'go' } },
    { signal: { requestId: 'r', name: 'x'.repeat(129) } },
    { signal: { requestId: 'r', name: 'go', value: 1, more: 1 } },
    { signal: { requestId: 'r', name: 'go' }, agent: 'once' },
    { signal: 'go' },
  ])('is not looked at in a message that is no signal: %j', async (body) => {
    const bench = await suspended();
    expect(await bench.accept(body)).toMatchObject({ kind: 'refused', reason: 'INVALID_REQUEST' });
    expect(await bench.run('r')).toMatchObject({ wakeCount: 0 });
  });
});
