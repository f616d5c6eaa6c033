import { EventType, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { PollStore } from '../../../lib/store/poll-store.ts';
import { forEver } from '../subagents/support/answers.ts';
import { JobService, passTime } from '../subagents/support/job-service.ts';
import { agentWith, simulate, startWaiting } from '../subagents/support/simulation.ts';

describe('a poller that a busy driver looks after', () => {
  it('is started also when the driver does many short things', async () => {
    const service = new JobService({ status: forEver });
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 })
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        await ctx.getResource('remote', ResourceType.AGENT).submit('x');
      })
      .addAction('work', EventType.InputEvent, async (_event, ctx) => {
        const call = () => passTime(service.clock, 700);
        for (let step = 0; step < 30; step += 1) await ctx.durableExecute({ id: 'short', call });
      });
    const { deployment } = simulate(agent, service);
    const starts: number[] = [];
    const start = deployment.polls.start.bind(deployment.polls);
    deployment.polls.start = async (poller) => {
      starts.push(deployment.clock.now());
      return start(poller);
    };
    await startWaiting(deployment, 'r');
    const [submitted] = service.times('submit', service.jobs[0]?.key ?? '');
    expect((starts[0] ?? 0) - (submitted ?? 0)).toBeLessThanOrEqual(3_000);
    expect(deployment.polls.executions).toHaveLength(1);
  });

  it('is told also of a call that is added in the same moment', async () => {
    const service = new JobService({ status: forEver });
    const busy = (millis: number) => ({
      id: `for ${millis}`,
      call: async () => {
        // In small steps first: the driver has other things to do before it only waits.
        for (let step = 0; step < 10; step += 1) await passTime(service.clock, 5);
        await passTime(service.clock, millis - 50);
      },
    });
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 })
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        const remote = ctx.getResource('remote', ResourceType.AGENT);
        const calls = [remote.submit('first')];
        await ctx.sleep(10_000);
        calls.push(remote.submit('second'));
        await ctx.durableExecute(busy(2_050));
        calls.push(remote.submit('third'));
        await Promise.all(calls);
      })
      .addAction('work', EventType.InputEvent, async (_event, ctx) => {
        await ctx.sleep(10_000);
        await ctx.durableExecute(busy(10_000));
      });
    const { deployment } = simulate(agent, service);
    await startWaiting(deployment, 'r');
    const start = deployment.polls.start.bind(deployment.polls);
    const starts: number[] = [];
    deployment.polls.start = async (poller) => {
      starts.push(deployment.clock.now());
      await passTime(deployment.clock, 100);
      return start(poller);
    };
    await deployment.settle(async () => service.count('submit') === 3);
    const [, second, third] = service.jobs.map(({ key }) => service.times('submit', key)[0] as number);
    // The third call comes while the poller is told of the second one; each is told of once, and before the suspension.
    expect(third).toBe((second as number) + 2_050);
    expect(starts).toEqual([(second as number) + 2_000, (third as number) + 2_000, expect.any(Number)]);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
    const store = new PollStore(deployment.items, 'r', (await deployment.run('r'))?.ttl ?? 0);
    expect(await store.get(1_000)).toMatchObject({ generation: 1, version: 3 });
    expect(deployment.polls.executions).toHaveLength(1);
  });
});
