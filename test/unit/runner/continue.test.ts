import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { driveTimes } from '../../../lib/runner/drive/drive-lease.ts';
import type { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { skipTime } from '../../../lib/testing/skip-time.ts';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';

/** An agent whose calls take time, one after another. */
function slowAgent(count: number, millis: number, clock: () => ManualClock) {
  const starts: number[] = [];
  const agent = defineAgent({ name: 'slow' }).addAction('work', EventType.InputEvent, async (_event, ctx) => {
    for (let step = 0; step < count; step += 1) {
      await ctx.durableExecute({
        id: `step-${step}`,
        call: () => {
          starts.push(clock().now());
          return new Promise<void>((resolve) => clock().after(millis, resolve, 'wait'));
        },
      });
    }
    ctx.sendEvent(OutputEvent(starts.length));
  });
  return { agent, starts };
}

describe('the times of a drive', () => {
  it('leave 20 s for starting no call any more and 5 s for handing on', () => {
    expect(driveTimes(1_000, 301_000)).toEqual({ deadline: 301_000, continueAt: 281_000, giveUpAt: 296_000 });
  });

  it('leave a short invocation two thirds for starting calls', () => {
    expect(driveTimes(0, 30_000)).toEqual({ deadline: 30_000, continueAt: 20_000, giveUpAt: 25_000 });
    expect(driveTimes(0, 0)).toEqual({ deadline: 0, continueAt: 0, giveUpAt: 0 });
    expect(driveTimes(5_000, 1_000)).toEqual({ deadline: 1_000, continueAt: 1_000, giveUpAt: 1_000 });
  });
});

describe('a run that needs more than one invocation', () => {
  it('continues in the next one, and does nothing twice', async () => {
    let clock: ManualClock | undefined;
    const { agent, starts } = slowAgent(10, 40_000, () => clock as ManualClock);
    const runtime = testRuntime([agent]);
    clock = runtime.deployment.clock;
    expect(await runtime.run('slow', null)).toMatchObject({ status: 'COMPLETED', outputs: [10] });
    expect(starts).toHaveLength(10);
    const kinds = runtime.deployment.drives.map(({ kind }) => kind);
    expect(kinds).toEqual(['continued', 'ended']);
    expect(runtime.deployment.wakes.sent.map(({ wake }) => wake.reason)).toEqual(['accepted', 'continue']);
  });

  it('starts no call with less than 20 s left', async () => {
    let clock: ManualClock | undefined;
    const { agent, starts } = slowAgent(40, 11_000, () => clock as ManualClock);
    const runtime = testRuntime([agent]);
    clock = runtime.deployment.clock;
    const begun = clock.now();
    await runtime.run('slow', null);
    const first = starts.filter((start) => start - begun < 300_000).map((start) => start - begun);
    // 26 calls of 11 s fit below 280 s; the next one began in the next invocation, at once.
    expect(first.filter((start) => start < 280_000)).toHaveLength(26);
    expect(Math.max(...first.slice(0, 26))).toBe(275_000);
    expect(starts[26]).toBe(begun + 286_000);
  });

  it('gives up calls that are under way at the end and does not record them', async () => {
    const log: string[] = [];
    const agent = defineAgent({ name: 'slow' }).addAction('work', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'quick', call: () => log.push('quick') });
      await ctx.durableExecute({
        id: 'endless',
        call: (signal) => {
          log.push('endless');
          signal.addEventListener('abort', () => log.push('aborted'));
          return new Promise(() => {});
        },
      });
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const result = bench.drive('r');
    await settleMicrotasks();
    await bench.pass(294_999);
    expect(log).toEqual(['quick', 'endless']);
    bench.clock.advanceBy(1);
    expect(await result).toEqual({ kind: 'continued' });
    expect(log).toEqual(['quick', 'endless', 'aborted']);
    const calls = bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'));
    expect(calls.map(({ sk }) => sk)).toEqual([expect.stringContaining('#quick#0')]);
    const run = await bench.run('r');
    expect(run).toMatchObject({ status: 'RUNNING', hops: 1, dueAt: bench.clock.now() + 60_000 });
    expect(run.owner).toBeUndefined();
  });

  it('records what settles between the last start and the end', async () => {
    let clock: ManualClock | undefined;
    const { agent, starts } = slowAgent(3, 284_000, () => clock as ManualClock);
    const bench = new DriveBench([agent]);
    clock = bench.clock;
    await bench.begin('r', null);
    expect(await skipTime(bench.clock, bench.drive('r'))).toEqual({ kind: 'continued' });
    expect(starts).toHaveLength(1);
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'))).toMatchObject([{ st: 'SUCCEEDED' }]);
    expect(await skipTime(bench.clock, bench.drive('r'))).toEqual({ kind: 'continued' });
    expect(await skipTime(bench.clock, bench.drive('r'))).toMatchObject({ outcome: 'COMPLETED' });
    expect(starts).toHaveLength(3);
  });

  it('cuts an action that never settles, and fails the run when that brings nothing new', async () => {
    const agent = defineAgent({ name: 'stuck' }).addAction(
      'hang',
      EventType.InputEvent,
      () => new Promise<void>(() => {}),
    );
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    for (let hop = 1; hop <= 5; hop += 1) {
      const result = bench.drive('r');
      await bench.pass(295_000);
      expect(await result).toEqual({ kind: 'continued' });
      expect(await bench.run('r')).toMatchObject({ hops: hop, attempts: hop });
    }
    expect(await bench.drive('r')).toMatchObject({ outcome: 'FAILED' });
    expect(bench.received()).toMatchObject([{ error: { code: 'ATTEMPTS_EXHAUSTED' } }]);
  });

  it('is FAILED after its last hop, with the limit in the error', async () => {
    let clock: ManualClock | undefined;
    const { agent } = slowAgent(20, 250_000, () => clock as ManualClock);
    const runtime = testRuntime([agent], { config: { 'run.max-hops': 3 } });
    clock = runtime.deployment.clock;
    expect(await runtime.run('slow', null)).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'HOP_LIMIT',
        message: expect.stringMatching(/continued 3 times, the limit is 3 \("run\.max-hops"\)/),
      },
    });
    expect(runtime.deployment.drives.map(({ kind }) => kind)).toEqual(['continued', 'continued', 'continued', 'ended']);
  });

  it('drives short invocations too, without skipping or repeating a call', async () => {
    let clock: ManualClock | undefined;
    const { agent, starts } = slowAgent(12, 5_000, () => clock as ManualClock);
    const runtime = testRuntime([agent], { driveTimeoutMillis: 30_000 });
    clock = runtime.deployment.clock;
    expect(await runtime.run('slow', null)).toMatchObject({ status: 'COMPLETED', outputs: [12] });
    expect(starts).toHaveLength(12);
  });

  it('survives a stop of the process at every point, over its invocations', async () => {
    const agent = defineAgent({ name: 'slow' }).addAction('work', EventType.InputEvent, async (_event, ctx) => {
      const retry = { maxAttempts: 3, initialMillis: 2_000 };
      for (let step = 0; step < 3; step += 1)
        await ctx.durableExecute({ id: `step-${step}`, retry, call: worksAtThird() });
      ctx.sendEvent(OutputEvent('done'));
    });
    const runtime = testRuntime([agent], { driveTimeoutMillis: 12_000, config: { 'run.stay-millis': 10_000 } });
    expect(await runtime.run('slow', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    expect(runtime.deployment.drives.filter(({ kind }) => kind === 'continued').length).toBeGreaterThan(0);
    await runtime.survivesEveryCrash('slow', null);
  });
});

/** Takes two waits of its retry budget. */
function worksAtThird(): () => number {
  let tries = 0;
  return () => {
    tries += 1;
    if (tries % 3 !== 0) throw new Error('not yet');
    return tries;
  };
}
