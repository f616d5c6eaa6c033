import { AgentError, EventType, ResourceType, SubagentResult } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { PollStore } from '../../../lib/store/poll-store.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { runsFor } from '../subagents/support/answers.ts';
import { ArmedCrash } from '../subagents/support/armed-crash.ts';
import { JobService } from '../subagents/support/job-service.ts';
import {
  agentWith,
  askingAgent,
  breakPollFunction,
  endOf,
  finishAll,
  goOn,
  outputsOf,
  redriveToEnd,
  simulate,
  startWaiting,
  statesOf,
} from '../subagents/support/simulation.ts';

const SWEEP_MILLIS = 60_000;

describe('an execution whose rounds are used up', () => {
  it.each([
    [500, 400],
    [1_000, 30],
    [1_500, 30],
    [5_000, 30],
  ])('is followed by the next one, at an interval of %d ms', async (interval, probes) => {
    const service = new JobService({ status: runsFor(probes) });
    const { deployment, run } = simulate(askingAgent(service, { statusPollIntervalMillis: interval }), service, {
      'subagent.max-poll-rounds': 5,
    });
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    await finishAll(deployment);
    const { executions } = deployment.polls;
    expect(executions.length).toBeGreaterThanOrEqual(4);
    expect(statesOf(executions)).toEqual(Array(executions.length).fill('SUCCEEDED'));
    expect(executions.map(({ round }) => round.generation)).toEqual(executions.map((_, index) => index + 1));
    expect(Math.max(...executions.map(({ round }) => round.round))).toBe(5);
    expect(service.count('submit')).toBe(1);
  });

  it.each([500, 1_000, 1_500, 5_000])('leaves the spacing of %d ms as it is', async (interval) => {
    const service = new JobService({ status: runsFor(interval < 1_000 ? 400 : 30) });
    const { deployment, run } = simulate(askingAgent(service, { statusPollIntervalMillis: interval }), service, {
      'subagent.max-poll-rounds': 5,
    });
    await run('asks', 'x');
    expect(deployment.polls.executions.length).toBeGreaterThanOrEqual(4);
    const times = service.times('status', service.jobs[0]?.key ?? '');
    const gaps = times.slice(1).map((time, index) => time - (times[index] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(interval);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(interval + 1_500);
  });

  it('is followed also when the wake that tells of it is lost', async () => {
    const service = new JobService({ status: runsFor(12) });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service, {
      'subagent.max-poll-rounds': 5,
    });
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => deployment.polls.open().length === 0);
    for (const message of deployment.wakes.waiting()) deployment.wakes.take(message);
    const spentAt = deployment.clock.now();
    await deployment.settle(async () => deployment.polls.open().length > 0);
    expect(deployment.clock.now() - spentAt).toBeLessThanOrEqual(2 * SWEEP_MILLIS);
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
  });
});

describe('an execution that dies without a word', () => {
  it('is replaced once somebody looks, and the call goes on', async () => {
    const service = new JobService({ status: runsFor(200) });
    const checkMillis = 5_000;
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service, {
      'subagent.poll-check-millis': checkMillis,
    });
    await startWaiting(deployment, 'r');
    await goOn(deployment, 20_000);
    const [first] = deployment.polls.open();
    if (first === undefined) throw new Error('Nothing polls.');
    deployment.polls.abort(first);
    const diedAt = deployment.clock.now();
    const probes = service.count('status');
    await deployment.settle(async () => service.count('status') > probes);
    expect(deployment.clock.now() - diedAt).toBeLessThanOrEqual(checkMillis + SWEEP_MILLIS);
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
    expect(statesOf(deployment.polls.executions)).toEqual(['ABORTED', 'SUCCEEDED']);
    expect(service.count('submit')).toBe(1);
  });

  it('may do so twice in a row; the third time its calls are given up until redrive', async () => {
    const service = new JobService({ status: runsFor(3) });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }, 2), service, {
      'subagent.poll-check-millis': 5_000,
    });
    const broken = breakPollFunction(deployment);
    await startWaiting(deployment, 'r');
    const run = await endOf(deployment, 'r');
    expect(run.status).toBe('FAILED');
    expect(run.error).toContain('"SUBAGENT_FAULT"');
    expect(run.error).toContain('its poller died three times in a row');
    expect(statesOf(deployment.polls.executions)).toEqual(['FAILED', 'FAILED', 'FAILED']);
    // The driver that finds a dead one asks once for each call.
    expect(service.count('status')).toBeLessThanOrEqual(2 * 2);

    broken.mend();
    expect((await redriveToEnd(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done', 'done']]);
    expect(statesOf(deployment.polls.executions).slice(3)).toEqual(['SUCCEEDED']);
    expect(service.count('submit')).toBe(2);
  });

  it('for the third time is noticed at once by a driver that is about to suspend', async () => {
    const service = new JobService({ status: runsFor(1_000) });
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 })
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        await ctx.getResource('remote', ResourceType.AGENT).submit('x');
      })
      .addAction('sleep', EventType.InputEvent, async (_event, ctx) => {
        for (;;) await ctx.sleep(30_000);
      });
    const { deployment } = simulate(agent, service);
    breakPollFunction(deployment);
    const begin = deployment.clock.now();
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).error).toContain('"SUBAGENT_FAULT"');
    expect(deployment.polls.executions).toHaveLength(3);
    // One is found dead after each sleep.
    expect(deployment.clock.now() - begin).toBe(90_000);
  });

  it('twice is forgiven when the third one works', async () => {
    const service = new JobService({ status: runsFor(30) });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service, {
      'subagent.poll-check-millis': 5_000,
      'subagent.max-poll-rounds': 5,
    });
    const broken = breakPollFunction(deployment);
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => deployment.polls.executions.length === 3);
    broken.mend();
    // The third and the fourth end regularly, so these deaths are the first ones of a new row.
    await deployment.settle(async () => deployment.polls.executions.length === 5);
    const again = breakPollFunction(deployment);
    await deployment.settle(async () => deployment.polls.executions.length === 7);
    again.mend();
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(statesOf(deployment.polls.executions).slice(0, 7)).toEqual([
      ...['FAILED', 'FAILED', 'SUCCEEDED', 'SUCCEEDED'],
      ...['FAILED', 'FAILED', 'SUCCEEDED'],
    ]);
  });

  it('loses no answer that its driver finds meanwhile', async () => {
    const service = new JobService({ fetch: () => SubagentResult.ok('found') });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service, {
      'subagent.poll-check-millis': 5_000,
    });
    breakPollFunction(deployment);
    await startWaiting(deployment, 'r');
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual([['found']]);
    expect(service.count('fetch')).toBe(1);
  });
});

describe('a poller that a driver could not tell of an added call, because it died', () => {
  it('is told by the next driver', async () => {
    const service = new JobService({ status: runsFor(1_000) });
    const crashes = new ArmedCrash();
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const remote = ctx.getResource('remote', ResourceType.AGENT);
        const first = remote.submit('first');
        await ctx.sleep(10_000);
        await Promise.all([first, remote.submit('second')]);
      },
    );
    const deployment = new SimulatedDeployment({ agents: [agent], crashes });
    service.useClock(deployment.clock);
    await startWaiting(deployment, 'r');
    // Dies as soon as the second call's entry is there.
    service.answers = { ...service.answers, submit: () => crashes.arm('items.put', 'after') };
    await deployment.settle(async () => crashes.hasStruck);
    const store = new PollStore(deployment.items, 'r', (await deployment.run('r'))?.ttl ?? 0);
    const { entries, records } = await store.read(1_000);
    expect(entries.size).toBe(2);
    await deployment.settle(async () => (await deployment.run('r'))?.status === 'SUSPENDED');
    expect((await store.get(1_000))?.version).toBe((records.get(1_000)?.version ?? 0) + 1);
    expect(deployment.polls.executions).toHaveLength(1);
    expect([service.count('submit'), service.count('reconcile')]).toEqual([2, 0]);
  });
});

describe('a state machine that cannot be started', () => {
  it('holds nothing up: the run waits, and is polled as soon as it can be', async () => {
    const service = new JobService({ status: runsFor(2) });
    const { deployment } = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service);
    const { polls } = deployment;
    const start = polls.start.bind(polls);
    let attempts = 0;
    polls.start = async () => {
      attempts += 1;
      throw new Error('ThrottlingException');
    };
    await startWaiting(deployment, 'r');
    await goOn(deployment, 10 * SWEEP_MILLIS);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
    expect(service.count('status')).toBe(0);
    expect(attempts).toBeGreaterThanOrEqual(5);
    const told = deployment.traces.filter(({ problem_category }) => problem_category === 'poller_not_started');
    expect(told).toHaveLength(attempts);
    expect(told[0]).toMatchObject({ run_id: 'r', error: { message: 'ThrottlingException' } });
    polls.start = start;
    const mendedAt = deployment.clock.now();
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(deployment.clock.now() - mendedAt).toBeLessThanOrEqual(3 * SWEEP_MILLIS);
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
  });
});

it('names the sub-agent in the error of a call that was given up', async () => {
  const service = new JobService({ status: runsFor(3) });
  const runtime = simulate(askingAgent(service, { statusPollIntervalMillis: 1_000 }), service, {
    'subagent.poll-check-millis': 5_000,
  });
  breakPollFunction(runtime.deployment);
  const { error } = await runtime.run('asks', null);
  expect(error).toBeInstanceOf(AgentError);
  expect(error).toMatchObject({ code: 'SUBAGENT_FAULT', message: expect.stringContaining('"remote"') });
});
