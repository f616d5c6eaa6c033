import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { settleMicrotasks } from './support/drive-bench.ts';
import { WaitBench } from './support/wait-bench.ts';
import { MINUTE, SECOND } from './support/wait-programs.ts';

const asking = defineAgent({ name: 'asking', input: z.number() }).addAction(
  'ask',
  EventType.InputEvent,
  async (event, ctx) => {
    ctx.sendEvent(OutputEvent((await ctx.waitForSignal('go', { timeoutMillis: event.input })) ?? 'none'));
  },
);

/** Bodies of calls that settle when the test says so. */
function openCalls() {
  const calls: ((value: string) => void)[] = [];
  return {
    call: (signal: AbortSignal) =>
      new Promise<string>((resolve) => {
        calls.push(resolve);
        signal.addEventListener('abort', () => resolve('aborted'));
      }),
    settle: (value: string) => calls.shift()?.(value),
  };
}

async function pass(bench: WaitBench, millis: number): Promise<void> {
  const end = bench.clock.now() + millis;
  await settleMicrotasks();
  while (bench.clock.now() < end) {
    bench.clock.advanceTo(Math.min(bench.clock.now() + SECOND, end));
    await settleMicrotasks();
  }
}

describe('a driver that stays or is busy', () => {
  it('sees a signal that came in time, when the time is over', async () => {
    const bench = new WaitBench([asking]);
    await bench.begin('r', 1_500);
    const drive = bench.invoke('r');
    await pass(bench, 500);
    await bench.signal('r', 'go', 'in time');
    await pass(bench, SECOND);
    expect(await drive).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual(['in time']);
  });

  it('answers nothing when none came, and a later signal is for the next wait', async () => {
    const bench = new WaitBench([asking]);
    await bench.begin('r', 1_500);
    const drive = bench.invoke('r');
    await pass(bench, 1_500);
    expect(await drive).toMatchObject({ kind: 'ended' });
    expect(bench.outputsOf('r')).toEqual(['none']);
    expect(await bench.signal('r', 'go')).toMatchObject({ kind: 'nothing-to-do' });
  });

  it('sees it also behind a call that takes longer', async () => {
    const { call, settle } = openCalls();
    const shown: string[] = [];
    const agent = defineAgent({ name: 'busy' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const note = (value: unknown) => shown.push(String(value));
      const [answer, made] = await Promise.all([
        ctx.waitForSignal('go', { timeoutMillis: 10 * SECOND }).then((value) => note(value ?? 'none')),
        ctx.durableExecute({ id: 'long', call }).then(note),
      ]);
      ctx.sendEvent(OutputEvent([answer, made]));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    const drive = bench.invoke('r');
    await pass(bench, 5 * SECOND);
    await bench.signal('r', 'go', 'in time');
    await pass(bench, 5 * SECOND);
    expect(shown).toEqual(['in time']);
    settle('made');
    expect(await drive).toMatchObject({ kind: 'ended' });
    expect(shown).toEqual(['in time', 'made']);
  });

  it('finds a signal when it renews its lease, so that a call that hangs does not hide it', async () => {
    const { call } = openCalls();
    const agent = defineAgent({ name: 'raced' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const winner = Promise.race([ctx.durableExecute({ id: 'hangs', call }), ctx.waitForSignal('stop')]);
      ctx.sendEvent(OutputEvent(await winner));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    const drive = bench.invoke('r');
    await pass(bench, SECOND);
    await bench.signal('r', 'stop', 'stopped');
    await pass(bench, 20 * SECOND);
    expect(await drive).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
    expect(bench.outputsOf('r')).toEqual(['stopped']);
  });

  it('reads nothing for renewals without a new mark, and once for one', async () => {
    const { call, settle } = openCalls();
    const agent = defineAgent({ name: 'long' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const made = ctx.durableExecute({ id: 'long', call });
      ctx.sendEvent(OutputEvent(await Promise.race([made, ctx.waitForSignal('stop')])));
    });
    const bench = new WaitBench([agent]);
    await bench.begin('r');
    const drive = bench.invoke('r');
    await pass(bench, MINUTE);
    expect(bench.items.meter.operation('query').calls).toBe(0);
    await bench.signal('r', 'something else');
    await pass(bench, MINUTE);
    expect(bench.items.meter.operation('query').calls).toBe(1);
    settle('made');
    await drive;
    expect(bench.outputsOf('r')).toEqual(['made']);
  });
});
