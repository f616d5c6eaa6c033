import { EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { RunStore } from '../../../lib/store/run-store.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { forEver } from './support/answers.ts';
import { ArmedCrash } from './support/armed-crash.ts';
import { byPrompt, countOf, failedCancellations } from './support/cancellation.ts';
import { JobService, passTime } from './support/job-service.ts';
import {
  agentWith,
  askingAgent,
  endOf,
  finishAll,
  goOn,
  outputsOf,
  simulate,
  startWaiting,
  statesOf,
} from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

describe('a run that is cancelled', () => {
  it('asks the remotes of its open calls to stop, and its execution ends', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      await Promise.all([remote.submit(500), remote.submit(600), remote.submit(1)]);
    });
    const { deployment } = simulate(agent, service);
    await startWaiting(deployment, 'r');
    await goOn(deployment, 10_000);
    deployment.send({ cancel: { requestId: 'r' } });
    expect((await endOf(deployment, 'r')).status).toBe('CANCELLED');
    const probes = service.count('status');
    await finishAll(deployment);
    expect(countOf(service, 'cancel', 500)).toBeGreaterThanOrEqual(1);
    expect(countOf(service, 'cancel', 600)).toBeGreaterThanOrEqual(1);
    expect(countOf(service, 'cancel', 1)).toBe(0);
    expect(service.count('status')).toBe(probes);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
  });

  it.each<[string, () => unknown]>([
    ['fails', () => Promise.reject(new Error('cannot stop'))],
    ['hangs', () => new Promise(() => {})],
  ])('is CANCELLED also when a remote %s, which only the trace tells', async (_how, cancel) => {
    const service = new JobService({ status: forEver, cancel });
    const { deployment } = simulate(askingAgent(service, polling, 2), service);
    await startWaiting(deployment, 'r');
    deployment.send({ cancel: { requestId: 'r' } });
    expect((await endOf(deployment, 'r')).status).toBe('CANCELLED');
    await finishAll(deployment);
    expect(failedCancellations(deployment)).toHaveLength(2);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
  });

  it('asks also a remote whose call had been given up by a driver that died before it could', async () => {
    const service = byPrompt();
    const crashes = new ArmedCrash();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      await remote.submit(1);
      slow.cancel();
      crashes.arm('items.update', 'after');
      await remote.submit(2_000);
    });
    const deployment = new SimulatedDeployment({ agents: [agent], crashes });
    service.useClock(deployment.clock);
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    await deployment.settle(async () => crashes.hasStruck);
    const isGivenUp = deployment.items.items().some(({ sk, st }) => sk.startsWith('CALL#') && st === 'CANCELLED');
    expect([isGivenUp, service.count('cancel')]).toEqual([true, 0]);
    deployment.send({ cancel: { requestId: 'r' } });
    expect((await endOf(deployment, 'r')).status).toBe('CANCELLED');
    expect(countOf(service, 'cancel', 1_000)).toBeGreaterThanOrEqual(1);
  });

  it('while its driver is busy asks them too', async () => {
    const service = new JobService({ status: forEver });
    const agent = agentWith(service, polling)
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        await ctx.getResource('remote', ResourceType.AGENT).submit(1);
      })
      .addAction('work', EventType.InputEvent, async (_event, ctx) => {
        for (let step = 0; step < 20; step += 1) {
          await ctx.durableExecute({ id: 'step', call: () => passTime(service.clock, 5_000) });
          if (step === 3) await new RunStore(deployment.items).markCancelled('r', service.clock.now());
        }
      });
    const { deployment } = simulate(agent, service);
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('CANCELLED');
    expect(service.count('cancel')).toBeGreaterThanOrEqual(1);
    await finishAll(deployment);
    expect(deployment.polls.open()).toEqual([]);
  });

  it('that has FAILED does not stop its jobs: redrive takes their answers', async () => {
    const service = byPrompt();
    let isBroken = true;
    const agent = agentWith(service, polling)
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        ctx.sendEvent(OutputEvent((await ctx.getResource('remote', ResourceType.AGENT).submit(30)).result));
      })
      .addAction('break', EventType.InputEvent, async (_event, ctx) => {
        await ctx.sleep(5_000);
        if (isBroken) throw new Error('broken');
      });
    const { deployment } = simulate(agent, service, { 'run.max-attempts': 1 });
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('FAILED');
    await finishAll(deployment);
    expect(service.count('cancel')).toBe(0);
    isBroken = false;
    deployment.send({ redrive: { requestId: 'r' } });
    await deployment.settle(async () => (await deployment.run('r'))?.status === 'COMPLETED');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual(['done']);
    expect(service.count('submit')).toBe(1);
  });
});
