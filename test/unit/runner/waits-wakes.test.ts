import fc from 'fast-check';
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { sweepRuns } from '../../../lib/runner/sweep-runs.ts';
import { isFinal } from '../../../lib/store/run-record.ts';
import { CrashPlan } from '../../../lib/testing/crashing-process.ts';
import { EffectLog } from '../../../lib/testing/effect-log.ts';
import type { WakeMessage } from '../../../lib/testing/in-memory-queues.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { WaitBench } from './support/wait-bench.ts';
import { DAY, MINUTE, prepareWaits, SECOND, type WaitProgram, waitPrograms } from './support/wait-programs.ts';

/** What becomes of a wake: it is lost, or comes as often and as late as it says. */
type Fate = 'lost' | readonly number[];

/** Runs a program while every wake meets its fate; the outputs of the run. */
async function runAmid({ agent, signals = [] }: WaitProgram, fateOf: (message: WakeMessage) => Fate) {
  prepareWaits();
  const effects = new EffectLog();
  const deployment = new SimulatedDeployment({ agents: effects.watch([agent]), crashes: new CrashPlan([]) });
  deployment.send({ agent: agent.name, requestId: 'r', input: 'ab' });
  for (const [place, { afterMillis = 0, ...signal }] of signals.entries())
    deployment.send({ signal: { requestId: 'r', ...signal } }, afterMillis ? `g${place}` : 'group', afterMillis);
  let judged = 0;
  const copies = new Set<number>();
  const judge = async (message: WakeMessage): Promise<void> => {
    const fate = fateOf(message);
    deployment.wakes.take(message);
    for (const [place, delayMillis] of fate === 'lost' ? [] : fate.entries()) {
      if (place === 0) deployment.wakes.giveBack(message, message.visibleAt + delayMillis);
      else {
        copies.add(deployment.wakes.sent.length + 1);
        await deployment.wakes.send(message.wake, Math.ceil(delayMillis / SECOND));
      }
    }
  };
  await deployment.settle(async () => {
    const news = deployment.wakes.waiting().filter(({ id }) => id > judged && !copies.has(id));
    judged = Math.max(judged, ...news.map(({ id }) => id));
    for (const message of news) await judge(message);
    const run = await deployment.run('r');
    return run !== undefined && isFinal(run.status);
  });
  const run = await deployment.run('r');
  const bodies = deployment.outputs.delivered.map(({ body }) => JSON.parse(body) as { output?: unknown });
  return {
    status: run?.status,
    outputs: bodies.flatMap((body) => ('output' in body ? [body.output] : [])),
    violations: effects.violations(),
    deployment,
  };
}

const expected = ({ status = 'COMPLETED', outputs }: WaitProgram) => ({ status, outputs, violations: [] });

describe('a program that waits comes to the same', () => {
  it.each(waitPrograms)('with every wake lost but those of the sweep: $name', async (program) => {
    const result = await runAmid(program, ({ wake }) => (wake.reason === 'due' ? [0] : 'lost'));
    expect(result).toMatchObject(expected(program));
  });

  it.each(waitPrograms)('with every wake delivered twice: $name', async (program) => {
    expect(await runAmid(program, () => [0, 0])).toMatchObject(expected(program));
  });

  it.each(waitPrograms)('with later wakes delivered first: $name', async (program) => {
    expect(await runAmid(program, ({ id }) => [Math.max(10 - id, 0) * 30 * SECOND])).toMatchObject(expected(program));
  });

  it('with wakes that are lost, doubled and late at random', { timeout: 120_000 }, async () => {
    const delays = fc.array(fc.nat({ max: 10 * MINUTE }), { minLength: 1, maxLength: 3 });
    const fates = fc.array(fc.oneof(delays, fc.constant('lost' as const)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...waitPrograms), fates, async (program, dealt) => {
        const result = await runAmid(program, ({ id, wake }) => {
          const fate = dealt[id % dealt.length] ?? 'lost';
          return fate === 'lost' && wake.reason === 'due' ? [0] : fate;
        });
        expect(result).toMatchObject(expected(program));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a wake', () => {
  it('for a run that has ended does nothing and writes nothing', async () => {
    const [program] = waitPrograms;
    if (program === undefined) throw new Error('There is no program.');
    const { deployment } = await runAmid(program, () => [0]);
    const before = deployment.items.items();
    const drives = deployment.drives.length;
    for (const reason of ['timer', 'signal', 'due', 'accepted'] as const)
      await deployment.wakes.send({ runId: 'r', reason });
    while (await deployment.step()) {}
    expect(deployment.drives.slice(drives)).toEqual(
      Array.from({ length: 4 }, () => ({ kind: 'dropped', why: 'the run is COMPLETED' })),
    );
    expect(deployment.items.items()).toEqual(before);
  });
});

const asking = defineAgent({ name: 'asking' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  ctx.sendEvent(OutputEvent(await ctx.waitForSignal('go')));
});

describe('a run that waits three weeks for a signal', () => {
  it('is driven twice, to begin and to answer, and nobody reads its record in between', async () => {
    const bench = new WaitBench([asking]);
    await bench.begin('r');
    const invocations: string[] = [];
    const deliver = async (): Promise<void> => {
      for (const message of bench.wakes.waiting()) {
        bench.wakes.take(message);
        invocations.push((await bench.wake(message.wake.runId)).kind);
      }
    };
    await deliver();
    bench.items.meter.reset();
    const sweeps = (21 * DAY) / MINUTE;
    for (let sweep = 0; sweep < sweeps; sweep += 1) {
      bench.clock.advanceBy(MINUTE);
      expect(await bench.sweep()).toEqual({ woken: 0 });
      await deliver();
    }
    // The index in its 8 parts, and nothing else.
    expect(bench.items.meter.total).toMatchObject({ reads: sweeps * 8, writes: 0 });
    expect(bench.items.meter.operation('queryDue').calls).toBe(sweeps * 8);
    await bench.signal('r', 'go', 'yes');
    await deliver();
    expect(invocations).toEqual(['suspended', 'ended']);
    expect(bench.outputsOf('r')).toEqual(['yes']);
  });
});

describe('ten thousand suspended runs', () => {
  it('cost a sweep the queries of the index, and what is due its wakes', { timeout: 120_000 }, async () => {
    const bench = new WaitBench([asking]);
    await bench.begin('template');
    await bench.wake('template');
    bench.loseWakes();
    const template = bench.items.items().find(({ pk, sk }) => pk === 'RUN#template' && sk === 'RUN');
    const now = bench.clock.now();
    for (let number = 0; number < 10_000; number += 1) {
      const isDue = number % 1_000 === 0;
      const run = { id: `r${number}`, du: isDue ? now : now + DAY + number, gs: `due#${number % 8}` };
      await bench.items.put({ ...template, ...run, pk: `RUN#r${number}`, sk: 'RUN' });
    }
    bench.items.meter.reset();
    expect(await sweepRuns(bench.ports)).toEqual({ woken: 10 });
    expect(bench.items.meter.total).toMatchObject({ reads: 8, writes: 0 });
    expect(bench.items.meter.operation('queryDue')).toEqual({ calls: 8, units: 4 });
    const woken = bench.wakes.waiting().map(({ wake }) => wake.runId);
    expect(woken.toSorted()).toEqual(Array.from({ length: 10 }, (_, place) => `r${place * 1_000}`).toSorted());
    // Each of them: its record, its journal, and one write that says when to look again.
    bench.items.meter.reset();
    for (const runId of woken) await bench.wake(runId);
    expect(bench.items.meter.total).toMatchObject({ reads: 20, writes: 10 });
    expect(await sweepRuns(bench.ports)).toEqual({ woken: 0 });
  });
});
