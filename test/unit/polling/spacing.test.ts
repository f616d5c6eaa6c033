import { EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import type { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { gapsOf, runsFor } from '../subagents/support/answers.ts';
import { JobService, JobSetup, passTime } from '../subagents/support/job-service.ts';
import { agentWith, askingAgent, finishAll, simulate } from '../subagents/support/simulation.ts';

const INTERVALS = [500, 1_000, 1_500, 5_000] as const;
const READ_MILLIS = 5;
const SERVICE_MILLIS = 5;

/** Reads of the polled calls take a while. */
function slowReads({ items, clock }: SimulatedDeployment): void {
  const query = items.query.bind(items);
  items.query = async (asked) => {
    await passTime(clock, READ_MILLIS);
    return query(asked);
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function poll(intervalMillis: number, calls: number, probes: number) {
  const service = new JobService({ status: runsFor(probes) });
  service.latencyMillis = SERVICE_MILLIS;
  const runtime = simulate(askingAgent(service, { statusPollIntervalMillis: intervalMillis }, calls), service);
  slowReads(runtime.deployment);
  const result = await runtime.run('asks', 'x');
  expect(result).toMatchObject({ status: 'COMPLETED', outputs: [Array(calls).fill('done')] });
  await finishAll(runtime.deployment);
  const jobs = service.jobs.map(({ key }) => ({
    submittedAt: service.times('submit', key)[0] as number,
    probedAt: service.times('status', key),
  }));
  return { jobs, executions: runtime.deployment.polls.executions };
}

describe.each(INTERVALS)('at an interval of %d ms', (interval) => {
  it.each([1, 25, 100])('probes each of %d calls never sooner, and the median is within a tenth', async (calls) => {
    const { jobs } = await poll(interval, calls, 40);
    expect(jobs).toHaveLength(calls);
    const gaps = jobs.flatMap(({ probedAt }) => gapsOf(probedAt));
    expect(gaps).toHaveLength(calls * 40);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(interval);
    expect(median(gaps)).toBeLessThanOrEqual(interval * 1.1 + SERVICE_MILLIS);
  });

  it('probes never sooner when the service answers now slowly and now at once', async () => {
    const service = new JobService({
      status: async (call, nth) => {
        if (nth % 2 === 1) await passTime(service.clock, 90);
        return runsFor(12)(call, nth);
      },
    });
    const runtime = simulate(askingAgent(service, { statusPollIntervalMillis: interval }, 70), service);
    expect(await runtime.run('asks', 'x')).toMatchObject({ status: 'COMPLETED' });
    const gaps = service.jobs.flatMap(({ key }) => gapsOf(service.times('status', key)));
    expect(gaps).toHaveLength(70 * 12);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(interval);
  });

  it('begins one interval after the job was taken', async () => {
    const { jobs } = await poll(interval, 3, 2);
    for (const { submittedAt, probedAt } of jobs) {
      const first = (probedAt[0] as number) - (submittedAt + SERVICE_MILLIS);
      expect(first).toBeGreaterThanOrEqual(interval);
      expect(first).toBeLessThanOrEqual(interval * 1.1 + 1_000);
    }
  });

  it('needs no more invocations than the time allows, of three transitions each', async () => {
    const { jobs, executions } = await poll(interval, 1, 60);
    const [{ probedAt }] = jobs as [(typeof jobs)[number]];
    const waited = (probedAt.at(-1) as number) - (probedAt[0] as number) + interval;
    expect(executions).toHaveLength(1);
    const [execution] = executions as [(typeof executions)[number]];
    expect(execution.status).toBe('SUCCEEDED');
    const invocations = execution.round.round;
    expect(invocations).toBeLessThanOrEqual(waited / Math.max(interval, interval < 1_000 ? 10_000 : 0) + 2);
    // Wait, Task, Choice; the first Wait is counted with the start, the last Choice ends.
    expect(execution.transitions).toBe(3 * invocations + 1);
  });
});

describe('a round', () => {
  it.each(INTERVALS)('of %d ms in which nothing ends is one read and no write for each pass', async (interval) => {
    const service = new JobService({ status: runsFor(1_000) });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: interval }, 25), service);
    deployment.send({ agent: 'asks', requestId: 'r', input: 'x' });
    await deployment.settle(async () => service.count('status') >= 25);
    const { meter } = deployment.items;
    meter.reset();
    const before = service.count('status');
    while (service.count('status') < before + 25 * 40) await oneRound(deployment);
    const passes = (service.count('status') - before) / 25;
    expect(meter.total).toMatchObject({ reads: passes, writes: 0 });
    expect(meter.operation('query').calls).toBe(passes);
  });
});

/** The next round, and nothing else. */
async function oneRound(deployment: SimulatedDeployment): Promise<void> {
  const [next] = deployment.polls.open();
  expect(next).toBeDefined();
  deployment.clock.advanceTo(Math.max(next?.nextAt ?? 0, deployment.clock.now()));
  expect(deployment.polls.due()).toBe(next);
  await deployment.step();
}

describe('calls that share an interval', () => {
  it('share one execution, also when they were submitted at different times', async () => {
    const service = new JobService({ status: runsFor(20) });
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const remote = ctx.getResource('remote', ResourceType.AGENT);
        const first = remote.submit('first');
        await ctx.sleep(5_300);
        const second = remote.submit('second');
        ctx.sendEvent(OutputEvent((await Promise.all([first, second])).map(({ result }) => result)));
      },
    );
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ outputs: [['done', 'done']] });
    await finishAll(deployment);
    expect(deployment.polls.executions).toHaveLength(1);
    const [execution] = deployment.polls.executions;
    expect(execution?.transitions).toBe(3 * (execution?.round.round ?? 0) + 1);
    // Two executions of their own would have needed twice the rounds.
    const probes = service.count('status');
    expect(probes).toBe(42);
    expect(execution?.round.round).toBeLessThanOrEqual(21 + 7);
  });

  it.each(INTERVALS)('of %d ms: one that joins in mid-round is not probed before its interval', async (interval) => {
    const service = new JobService({ status: runsFor(40) });
    const delays = [0.2, 0.5, 0.9].map((part) => 3_000 + Math.round(interval * part));
    const agent = agentWith(service, { statusPollIntervalMillis: interval }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const remote = ctx.getResource('remote', ResourceType.AGENT);
        const later = async (millis: number) => {
          await ctx.sleep(millis, { id: `for ${millis}` });
          return remote.submit(millis);
        };
        const answers = await Promise.all([remote.submit(0), ...delays.map(later)]);
        ctx.sendEvent(OutputEvent(answers.length));
      },
    );
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [4] });
    await finishAll(deployment);
    expect(deployment.polls.executions).toHaveLength(1);
    for (const { key } of service.jobs) {
      const [submittedAt] = service.times('submit', key);
      const times = [submittedAt as number, ...service.times('status', key)];
      expect(times).toHaveLength(1 + 41);
      expect(Math.min(...gapsOf(times))).toBeGreaterThanOrEqual(interval);
    }
  });

  it('of different intervals do not share one', async () => {
    const [quick, slow] = [new JobService({ status: runsFor(3) }), new JobService({ status: runsFor(3) })];
    const agent = agentWith(quick, { statusPollIntervalMillis: 1_000 })
      .addResource('slow', ResourceType.AGENT, { clazz: JobSetup, service: slow, statusPollIntervalMillis: 5_000 })
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        const calls = [
          ctx.getResource('remote', ResourceType.AGENT).submit(1),
          ctx.getResource('slow', ResourceType.AGENT).submit(2),
        ];
        ctx.sendEvent(OutputEvent((await Promise.all(calls)).length));
      });
    const { deployment, run } = simulate(agent, [quick, slow]);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED' });
    await finishAll(deployment);
    expect(deployment.polls.executions.map(({ round }) => round.intervalMillis).sort()).toEqual([1_000, 5_000]);
    expect(deployment.polls.executions.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  });
});
