import { EventType, OutputEvent, ResourceType, RunStatus, SubagentResult } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { first, gapsOf, hanging, runsFor, unavailable } from '../subagents/support/answers.ts';
import { JobService } from '../subagents/support/job-service.ts';
import {
  agentWith,
  askingAgent,
  endOf,
  finishAll,
  outputsOf,
  redriveToEnd,
  simulate,
  startWaiting,
  statesOf,
} from '../subagents/support/simulation.ts';

const INTERVAL = 1_000;
const SLACK = INTERVAL + 500;
const polling = { statusPollIntervalMillis: INTERVAL };

/** Waits after a failed probe: doubled each time, up to a minute. */
const BACKOFF = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000];

function expectBackoff(times: readonly number[]): void {
  for (const [index, gap] of gapsOf(times).entries()) {
    expect(gap).toBeGreaterThanOrEqual(BACKOFF[index] as number);
    expect(gap).toBeLessThanOrEqual((BACKOFF[index] as number) + SLACK);
  }
}

const timesOf = (service: JobService, hook: 'status' | 'fetch' = 'status'): readonly number[] =>
  service.times(hook, service.jobs[0]?.key ?? '');

describe('a probe that fails', () => {
  it('is repeated after waits that double up to a minute, and forgotten once it works', async () => {
    const nineTimes = first(9, unavailable, runsFor(1));
    const service = new JobService({ status: first(10, nineTimes, first(9, unavailable, runsFor(0))) });
    const runtime = simulate(askingAgent(service, polling), service);
    expect(await runtime.run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    const times = timesOf(service);
    expect(times).toHaveLength(9 + 1 + 9 + 1);
    expectBackoff(times.slice(0, 10));
    expectBackoff(times.slice(10));
    // The one that worked in between began a new count, and the usual spacing.
    expect((times[10] as number) - (times[9] as number)).toBeLessThanOrEqual(SLACK);
    expect(service.count('submit')).toBe(1);
  });

  it('ten times in a row ends the run as FAILED, and its poller', async () => {
    const service = new JobService({ status: unavailable });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    const { status, error } = await run('asks', 'x', { requestId: 'r' });
    expect(status).toBe('FAILED');
    expect(error).toMatchObject({
      code: 'SUBAGENT_FAULT',
      message: expect.stringMatching(/"remote".*10 probes.*500 Internal Server Error.*redrive/s),
    });
    expect(timesOf(service)).toHaveLength(10);
    expectBackoff(timesOf(service));
    // The run is woken, and does not wait for somebody to look.
    expect(deployment.clock.now()).toBe(timesOf(service).at(-1));
    await finishAll(deployment);
    expect(timesOf(service)).toHaveLength(10);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
  });

  it('goes on with the same job after redrive, once the service works', async () => {
    const service = new JobService({ status: unavailable });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x', { requestId: 'r' })).toMatchObject({ status: 'FAILED' });
    service.answers = { status: (call, nth) => runsFor(12)(call, nth) };
    expect((await redriveToEnd(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
    expect([service.count('submit'), service.count('reconcile')]).toEqual([1, 0]);
    expect(service.jobs).toHaveLength(1);
    expect(deployment.polls.open()).toEqual([]);
  });

  it('after redrive has its ten tries again', async () => {
    const service = new JobService({ status: unavailable });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    await run('asks', 'x', { requestId: 'r' });
    expect((await redriveToEnd(deployment, 'r')).status).toBe('FAILED');
    expect(timesOf(service)).toHaveLength(20);
    expectBackoff(timesOf(service).slice(10));
  });

  it('harms no other call', async () => {
    const service = new JobService({
      status: (call, nth) => (call.prompt === 'bad' ? unavailable(call, nth) : runsFor(20)(call, nth)),
    });
    const { deployment } = simulate(twoCalls(service), service);
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => outputsOf(deployment, 'r').length > 0);
    expect(outputsOf(deployment, 'r')).toEqual(['good: done']);
    const good = service.jobs.find(({ prompt }) => prompt === 'good');
    const gaps = gapsOf(service.times('status', good?.key ?? ''));
    expect(gaps).toHaveLength(20);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(INTERVAL * 1.1);
  });
});

/** Two actions with a call each, of the prompts "good" and "bad"; each sends its answer. */
const twoCalls = (service: JobService) => {
  const agent = agentWith(service, polling);
  return (['bad', 'good'] as const).reduce(
    (built, prompt) =>
      built.addAction(prompt, EventType.InputEvent, async (_event, ctx) => {
        const answer = await ctx.getResource('remote', ResourceType.AGENT).submit(prompt);
        ctx.sendEvent(OutputEvent(`${prompt}: ${answer.result}`));
      }),
    agent,
  );
};

describe('a probe that hangs', () => {
  it('is given up after ten seconds, while the other calls of the round are answered', async () => {
    const service = new JobService({
      status: (call, nth) => (call.prompt === 'bad' ? first(3, hanging, runsFor(0))(call, nth) : runsFor(2)(call, nth)),
    });
    const { deployment } = simulate(twoCalls(service), service);
    await startWaiting(deployment, 'r');
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual(['good: done', 'bad: done']);
    const [bad, good] = ['bad', 'good'].map((prompt) => service.jobs.find((job) => job.prompt === prompt)?.key ?? '');
    // Beside the first, the second and the third hang.
    expect(service.times('status', good as string)).toHaveLength(3);
    const gaps = gapsOf(service.times('status', bad as string));
    expect(gaps).toHaveLength(3);
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(10_000 + (BACKOFF[index] as number));
      expect(gap).toBeLessThanOrEqual(10_000 + (BACKOFF[index] as number) + SLACK);
    }
  });

  it('keeps no round from its turn when all of many calls do', async () => {
    const service = new JobService({ status: first(1, hanging, runsFor(0)) });
    const runtime = simulate(askingAgent(service, polling, 100), service);
    const { status, outputs } = await runtime.run('asks', 'x');
    expect({ status, outputs }).toEqual({ status: 'COMPLETED', outputs: [Array(100).fill('done')] });
    // No round was cut by the end of its invocation: it would have been repeated.
    expect(service.count('status')).toBe(200);
    expect(runtime.deployment.polls.executions.every(({ failures }) => failures === 0)).toBe(true);
  });

  it('like one that throws, ends in SUBAGENT_FAULT after ten times', async () => {
    const service = new JobService({ status: hanging });
    const { error } = await simulate(askingAgent(service, polling), service).run('asks', 'x');
    expect(error).toMatchObject({
      code: 'SUBAGENT_FAULT',
      message: expect.stringContaining('callQueryStatus did not settle within 10000 ms'),
    });
    expect(service.count('status')).toBe(10);
  });

  it('has a late answer that changes nothing', async () => {
    let release = (): void => {};
    const late = new Promise((resolve) => {
      release = () => resolve(RunStatus.failed('late'));
    });
    const service = new JobService({ status: first(1, () => late, runsFor(2)) });
    const { deployment } = simulate(askingAgent(service, polling), service);
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => service.count('status') === 2);
    release();
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
  });
});

describe('a fetch that fails', () => {
  it.each([
    ['throws', unavailable],
    ['hangs', hanging],
    ['answers nothing', () => undefined],
    ['answers a text', () => 'done'],
    ['answers what only looks like an answer', () => ({ success: true, result: 'done' })],
  ])('because it %s is repeated with the probe', async (_what, bad) => {
    const service = new JobService({ fetch: first(3, bad, () => SubagentResult.ok('fetched')) });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['fetched']] });
    expect([service.count('status'), service.count('fetch')]).toEqual([4, 4]);
  });

  it('ten times in a row ends in SUBAGENT_FAULT', async () => {
    const service = new JobService({ fetch: () => 'done' });
    const { error } = await simulate(askingAgent(service, polling), service).run('asks', 'x');
    expect(error).toMatchObject({
      code: 'SUBAGENT_FAULT',
      message: expect.stringContaining('callFetchResult answered something that is no SubagentResult'),
    });
    expect(service.count('fetch')).toBe(10);
  });
});

describe('a status that is none', () => {
  it.each([
    undefined,
    null,
    true,
    'COMPLETED',
    { kind: 'DONE' },
    { kind: 'completed' },
    { status: 'COMPLETED' },
    ['COMPLETED'],
  ])('as %j is a failed probe', async (garbage) => {
    const service = new JobService({ status: first(2, () => garbage, runsFor(0)) });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(service.count('status')).toBe(3);
    expectBackoff(timesOf(service));
  });

  it('ten times in a row ends in SUBAGENT_FAULT', async () => {
    const service = new JobService({ status: () => ({ kind: 'DONE' }) });
    const { error } = await simulate(askingAgent(service, polling), service).run('asks', 'x');
    expect(error).toMatchObject({
      code: 'SUBAGENT_FAULT',
      message: expect.stringContaining('callQueryStatus answered something that is no RunStatus'),
    });
  });
});

describe('an answer that says FAILED', () => {
  it('is a value, and nothing is fetched', async () => {
    const service = new JobService({ status: first(2, runsFor(9), () => RunStatus.failed(new TypeError('no tests'))) });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ outputs: [[{ error: 'TypeError: no tests' }]] });
    expect(service.count('fetch')).toBe(0);
  });

  it('may come from the fetch too', async () => {
    const service = new JobService({ fetch: () => SubagentResult.error('report lost') });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [[{ error: 'report lost' }]] });
    expect(service.count('fetch')).toBe(1);
  });
});
