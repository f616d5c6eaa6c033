import { type DurableCall, defineAgent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';

const failing = (attempts: number[], clock: () => number, until = Number.POSITIVE_INFINITY) =>
  defineAgent({ name: 'failing', output: z.number() }).addAction('fail', EventType.InputEvent, (_event, ctx) => {
    attempts.push(clock());
    if (attempts.length < until) throw new Error(`attempt ${attempts.length}`);
    ctx.sendEvent(OutputEvent(attempts.length));
  });

/** Runs an agent whose actions throw, with the times of its attempts. */
async function timesOf(config = {}, until?: number) {
  const times: number[] = [];
  let now = () => 0;
  const runtime = testRuntime([failing(times, () => now(), until)], { config });
  now = () => runtime.deployment.clock.now();
  const result = await runtime.run('failing', null);
  return { result, runtime, gaps: times.slice(1).map((time, index) => time - (times[index] ?? 0)) };
}

describe('an action that throws', () => {
  it('is tried again after 1, 2, 4, 8 seconds, then the run is FAILED with the last error', async () => {
    const { result, gaps, runtime } = await timesOf();
    expect(result).toMatchObject({ status: 'FAILED', outputs: [], error: { message: 'attempt 5' } });
    expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000]);
    const [message] = runtime.deployment.outputs.delivered;
    expect(JSON.parse(message?.body ?? '')).toEqual({
      requestId: result.runId,
      agent: 'failing',
      status: 'FAILED',
      error: { name: 'Error', message: 'attempt 5' },
    });
  });

  it('completes when a later attempt works', async () => {
    const { result } = await timesOf({}, 5);
    expect(result).toMatchObject({ status: 'COMPLETED', outputs: [5] });
  });

  it('waits at most 900 seconds between attempts', async () => {
    const { gaps } = await timesOf({ 'run.max-attempts': 14 });
    expect(gaps.slice(-4)).toEqual([512_000, 900_000, 900_000, 900_000]);
  });

  it('begins with the configured wait, in whole seconds of the queue', async () => {
    expect((await timesOf({ 'run.retry-initial-millis': 100 })).gaps).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect((await timesOf({ 'run.retry-initial-millis': 1_500 })).gaps).toEqual([2_000, 3_000, 6_000, 12_000]);
  });

  it('fails at the first attempt when one is all there is', async () => {
    const { result, gaps } = await timesOf({ 'run.max-attempts': 1 });
    expect(result).toMatchObject({ status: 'FAILED', error: { message: 'attempt 1' } });
    expect(gaps).toEqual([]);
  });

  it('cannot be tried early: a wake before its time is dropped', async () => {
    const times: number[] = [];
    const bench = new DriveBench([failing(times, () => 0)]);
    await bench.begin('r', null);
    await bench.drive('r');
    bench.clock.advanceBy(999);
    expect(await bench.drive('r')).toEqual({ kind: 'dropped', why: 'the run waits before its next attempt' });
    bench.clock.advanceBy(1);
    expect(await bench.drive('r')).toMatchObject({ kind: 'retried', afterMillis: 2_000 });
  });

  it('gives its lease back at once, and is due when its wait is over', async () => {
    const bench = new DriveBench([failing([], () => 0)]);
    await bench.begin('r', null);
    await bench.drive('r');
    const run = await bench.run('r');
    expect(run).toMatchObject({
      status: 'RUNNING',
      notBefore: bench.clock.now() + 1_000,
      dueAt: bench.clock.now() + 1_000,
    });
    expect(run.owner).toBeUndefined();
    expect(run.leaseUntil).toBeUndefined();
    expect(bench.wakes.waiting().at(-1)).toMatchObject({
      wake: { reason: 'retry' },
      visibleAt: bench.clock.now() + 1_000,
    });
  });
});

describe('an attempt that brings something new', () => {
  const stepwise = (perAttempt: number) => {
    let made = 0;
    return defineAgent({ name: 'stepwise', output: z.number() }).addAction(
      'step',
      EventType.InputEvent,
      async (_event, ctx) => {
        const stopAt = made + perAttempt;
        for (let step = 0; step < 12; step += 1) {
          if (step >= stopAt) throw new Error(`stopped before step ${step}`);
          made = Math.max(made, step + 1);
          await ctx.durableExecute({ id: `step-${step}`, call: () => step });
        }
        ctx.sendEvent(OutputEvent(made));
      },
    );
  };

  it('is not counted, so a run may fail more often than the maximum as long as it gets on', async () => {
    const runtime = testRuntime([stepwise(1)]);
    expect(await runtime.run('stepwise', null)).toMatchObject({ status: 'COMPLETED', outputs: [12] });
    expect(runtime.deployment.drives).toHaveLength(12);
  });

  it('is not counted either when one wasted attempt is the maximum', async () => {
    const runtime = testRuntime([stepwise(1)], { config: { 'run.max-attempts': 1 } });
    expect(await runtime.run('stepwise', null)).toMatchObject({ status: 'COMPLETED', outputs: [12] });
  });

  it('starts the count anew', async () => {
    let made = 0;
    const stubborn = defineAgent({ name: 'stubborn' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      made += 1;
      if (made >= 4) await ctx.durableExecute({ id: 'late', call: () => 1 });
      throw new Error(`attempt ${made}`);
    });
    const runtime = testRuntime([stubborn]);
    expect(await runtime.run('stubborn', null)).toMatchObject({ status: 'FAILED', error: { message: 'attempt 9' } });
    expect(
      runtime.deployment.drives.map((drive) => (drive.kind === 'retried' ? drive.afterMillis : drive.kind)),
    ).toEqual([1_000, 2_000, 4_000, 1_000, 1_000, 2_000, 4_000, 8_000, 'ended']);
  });

  it('is one that left a mark of a call, but not twice the same mark', async () => {
    const unsure = defineAgent({ name: 'unsure' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({
        id: 'act',
        retry: { maxAttempts: 2 },
        call: () => Promise.reject(new Error('lost')),
        reconcile: () => Promise.reject(new Error('cannot tell')),
      });
    });
    const runtime = testRuntime([unsure]);
    expect(await runtime.run('unsure', null)).toMatchObject({ status: 'FAILED', error: { message: 'cannot tell' } });
    expect(runtime.deployment.drives).toHaveLength(6);
  });
});

describe('what another attempt could only repeat', () => {
  const agentThat = (act: (ctx: { readonly durableExecute: <T>(call: DurableCall<T>) => Promise<T> }) => unknown) => {
    const count = { attempts: 0 };
    const agent = defineAgent({ name: 'final' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      count.attempts += 1;
      await act(ctx);
    });
    return { agent, count };
  };

  it('a TerminalError of the action fails the run at once', async () => {
    const { agent, count } = agentThat(() => Promise.reject(new TerminalError('not for us')));
    expect(await testRuntime([agent]).run('final', null)).toMatchObject({
      status: 'FAILED',
      error: { name: 'TerminalError', message: 'not for us' },
    });
    expect(count.attempts).toBe(1);
  });

  it('a recorded failure that nobody caught fails the run at once', async () => {
    const fail = () => Promise.reject(new RangeError('no'));
    const { agent, count } = agentThat((ctx) => ctx.durableExecute({ id: 'act', call: fail }));
    expect(await testRuntime([agent]).run('final', null)).toMatchObject({
      status: 'FAILED',
      error: { name: 'RangeError', message: 'no' },
    });
    expect(count.attempts).toBe(1);
  });

  it('so does Promise.any whose calls all failed', async () => {
    let attempts = 0;
    const agent = defineAgent({ name: 'any' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      const failing = (id: string) => ctx.durableExecute({ id, call: () => Promise.reject(new Error(id)) });
      await Promise.any([failing('a'), failing('b')]);
    });
    const result = await testRuntime([agent]).run('any', null);
    expect(result).toMatchObject({
      status: 'FAILED',
      error: { name: 'AggregateError', errors: [{ message: 'a' }, { message: 'b' }] },
    });
    expect(attempts).toBe(1);
  });

  it("an error of the action's own beside a recorded one is tried again", async () => {
    let attempts = 0;
    const agent = defineAgent({ name: 'wrapped' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      const call = ctx.durableExecute({ id: 'a', call: () => Promise.reject(new Error('inner')) });
      await call.catch((cause: unknown) => Promise.reject(new Error('outer', { cause })));
    });
    expect(await testRuntime([agent]).run('wrapped', null)).toMatchObject({
      error: { message: 'outer', cause: { message: 'inner' } },
    });
    // The first attempt recorded the failure of the call, so it is not counted.
    expect(attempts).toBe(6);
  });

  it('an output that the schema refuses fails the run at once and names the agent', async () => {
    const agent = defineAgent({ name: 'strict', output: z.number() }).addAction(
      'act',
      EventType.InputEvent,
      (_event, ctx) => {
        ctx.sendEvent(OutputEvent('text' as unknown as number));
      },
    );
    const runtime = testRuntime([agent]);
    expect(await runtime.run('strict', null)).toMatchObject({
      status: 'FAILED',
      error: { name: 'TerminalError', message: expect.stringContaining('An output of agent "strict" does not fit') },
    });
    expect(runtime.deployment.drives).toHaveLength(1);
  });
});

describe('a driver that is killed', () => {
  const hanging = defineAgent({ name: 'hanging' }).addAction(
    'hang',
    EventType.InputEvent,
    () => new Promise<void>(() => {}),
  );

  async function kill(bench: DriveBench) {
    const victim = bench.process();
    void victim.drive('r');
    await settleMicrotasks();
    victim.freeze();
    bench.clock.advanceBy(60_000);
  }

  it('five times in a row fails the run, with an error that says so', async () => {
    const bench = new DriveBench([hanging]);
    await bench.begin('r', null);
    for (let round = 1; round <= 5; round += 1) {
      await kill(bench);
      expect(await bench.run('r')).toMatchObject({ status: 'RUNNING', attempts: round });
    }
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'FAILED' });
    expect(bench.received()).toEqual([
      expect.objectContaining({
        status: 'FAILED',
        error: {
          name: 'AgentError',
          code: 'ATTEMPTS_EXHAUSTED',
          message:
            'The run made no progress in 5 attempts (its function was killed or ran out of memory or time). Mend the cause, then redrive the run.',
        },
      }),
    ]);
  });

  it('is driven again within 120 seconds: the run is due when its lease ends', async () => {
    const bench = new DriveBench([hanging]);
    await bench.begin('r', null);
    const claimedAt = bench.clock.now();
    void bench.process().drive('r');
    await settleMicrotasks();
    const { dueAt = Number.POSITIVE_INFINITY, leaseUntil = Number.POSITIVE_INFINITY } = await bench.run('r');
    expect(Math.max(dueAt, leaseUntil) - claimedAt + 60_000).toBeLessThanOrEqual(120_000);
  });

  it('and attempts that threw are counted together', async () => {
    let throws = false;
    const mixed = defineAgent({ name: 'mixed' }).addAction('act', EventType.InputEvent, () => {
      if (throws) throw new Error('thrown');
      return new Promise<void>(() => {});
    });
    const bench = new DriveBench([mixed]);
    await bench.begin('r', null);
    await kill(bench);
    await kill(bench);
    throws = true;
    expect(await bench.drive('r')).toMatchObject({ kind: 'retried', afterMillis: 4_000 });
    bench.clock.advanceBy(4_000);
    expect(await bench.drive('r')).toMatchObject({ kind: 'retried', afterMillis: 8_000 });
    bench.clock.advanceBy(8_000);
    expect(await bench.drive('r')).toEqual({ kind: 'ended', outcome: 'FAILED' });
  });
});

describe('an input that cannot be read', () => {
  it('fails the attempts and then the run, saying what is missing', async () => {
    const bench = new DriveBench([failing([], () => 0)]);
    await bench.begin('r', { text: 'x'.repeat(2_000) });
    await bench.items.delete({ pk: 'RUN#r', sk: 'INPUT' });
    expect(await bench.settle('r')).toMatchObject({ status: 'FAILED', attempts: 5 });
    expect(bench.received()).toMatchObject([
      {
        status: 'FAILED',
        error: {
          code: 'PAYLOAD_MISSING',
          message: expect.stringContaining('The input of run "r" is not in the store'),
        },
      },
    ]);
  });
});
