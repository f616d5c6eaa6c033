import { RunStatus } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { first, gapsOf, runsFor, unavailable, unknown } from '../subagents/support/answers.ts';
import { JobService } from '../subagents/support/job-service.ts';
import { askingAgent, finishAll, simulate, statesOf } from '../subagents/support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

const probesOf = (service: JobService): readonly number[] => service.times('status', service.jobs[0]?.key ?? '');

describe('a service that forgets a job', () => {
  it.each([
    [1_000, 5_000],
    [5_000, 10_000],
  ])('at %d ms gets it once more after %d ms; then the answer is an error', async (interval, patience) => {
    const service = new JobService({ status: unknown });
    const { deployment, run } = simulate(askingAgent(service, { statusPollIntervalMillis: interval }), service);
    const result = await run('asks', 'x');
    expect(result.status).toBe('COMPLETED');
    expect(result.outputs).toEqual([[{ error: expect.stringContaining('does not know the job') }]]);
    const [job] = service.jobs;
    const posts = service.times('submit', job?.key ?? '');
    const probes = probesOf(service);
    expect(posts).toHaveLength(2);
    const waits = [(posts[1] as number) - (probes[0] as number), (probes.at(-1) as number) - (posts[1] as number)];
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(patience);
      expect(wait).toBeLessThanOrEqual(patience + interval);
    }
    expect(Math.min(...gapsOf(probes))).toBeGreaterThanOrEqual(interval);
    await finishAll(deployment);
    expect(service.count('submit')).toBe(2);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
  });

  it('and knows it again in time does not get it twice, each time anew', async () => {
    const patient = first(4, unknown, first(2, runsFor(2), first(4, unknown, runsFor(1))));
    const service = new JobService({ status: patient });
    expect(await simulate(askingAgent(service, polling), service).run('asks', 'x')).toMatchObject({
      outputs: [['done']],
    });
    expect(service.count('submit')).toBe(1);
  });

  it('takes it up when it gets it once more', async () => {
    const service = new JobService({
      status: (call, nth) => (service.count('submit') < 2 ? RunStatus.notStarted() : runsFor(9)(call, nth)),
    });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(service.count('submit')).toBe(2);
  });

  it('and refuses the second submission is asked again later', async () => {
    const service = new JobService({
      submit: (call, nth) => (nth === 2 ? unavailable(call, nth) : undefined),
      status: () => (service.count('submit') < 3 ? RunStatus.notStarted() : RunStatus.completed()),
    });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(service.count('submit')).toBe(3);
  });
});
