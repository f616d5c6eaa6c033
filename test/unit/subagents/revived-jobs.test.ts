import { EventType, OutputEvent, ResourceType, RunStatus } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { ArmedCrash } from './support/armed-crash.ts';
import { CANCELLED, cancelled } from './support/cancellation.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, endOf, entriesIn, finishAll, outputsOf } from './support/simulation.ts';

/** A service that forgets a job when it is told to stop it; the driver who told it so dies before it can note that. */
function forgetfulService() {
  const jobs = new Set<string>();
  const crashes = new ArmedCrash();
  const service = new JobService({
    submit: ({ key }) => void jobs.add(key),
    status: ({ key }) => (jobs.has(key) ? RunStatus.running() : RunStatus.notStarted()),
    cancel: ({ key }) => {
      jobs.delete(key);
      if (!crashes.hasStruck) crashes.arm('items.delete', 'before');
    },
  });
  return { jobs, crashes, service };
}

describe('a job that was told to stop, by a driver that died then', () => {
  it.each([
    ['because its handle was cancelled', {}, CANCELLED],
    ['because its time was up', { timeoutMillis: 10_000 }, undefined],
  ])('%s is not sent again', async (_why, limit, seen) => {
    const { jobs, crashes, service } = forgetfulService();
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000, ...limit }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1);
        if (seen === undefined) return ctx.sendEvent(OutputEvent((await handle).success));
        await ctx.sleep(10_000);
        handle.cancel();
        ctx.sendEvent(OutputEvent(await cancelled(handle)));
      },
    );
    const deployment = new SimulatedDeployment({ agents: [agent], crashes });
    service.useClock(deployment.clock);
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(crashes.hasStruck).toBe(true);
    expect(outputsOf(deployment, 'r')).toEqual([seen ?? false]);
    expect(service.count('submit')).toBe(1);
    expect(jobs.size).toBe(0);
    expect(entriesIn(deployment)).toEqual([]);
  });
});
