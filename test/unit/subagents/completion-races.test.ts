import { EventType, OutputEvent, ResourceType, RunStatus, type SubagentCall, SubagentResult } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { forEver } from './support/answers.ts';
import { ArmedCrash } from './support/armed-crash.ts';
import { deliver, deliverAside, message, waitingRun } from './support/completion.ts';
import { JobService } from './support/job-service.ts';
import {
  agentWith,
  askingAgent,
  endOf,
  entriesIn,
  finishAll,
  outputsOf,
  simulate,
  startWaiting,
  statesOf,
} from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

describe('of several ends the first one counts', () => {
  it('when the message comes twice, with another value too', async () => {
    const { deployment, job } = await waitingRun();
    await deliver(deployment, message(job, { result: 'first' }));
    await deliver(deployment, message(job, { result: 'second' }));
    await deliver(deployment, message(job, { error: 'third' }));
    await endOf(deployment, 'r');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['first']]);
  });

  it.each(['COMPLETED', 'CANCELLED'] as const)('when its run is %s already', async (status) => {
    const { deployment, job } = await waitingRun();
    if (status === 'COMPLETED') await deliver(deployment, message(job, { result: 'first' }));
    else deployment.send({ cancel: { requestId: 'r' } });
    expect((await endOf(deployment, 'r')).status).toBe(status);
    await finishAll(deployment);
    const before = deployment.items.items();
    const sent = deployment.wakes.sent.length;
    expect(await deliver(deployment, message(job, { result: 'late' }))).toEqual({
      kind: 'nothing-to-do',
      runId: 'r',
      why: `the run is ${status}`,
    });
    expect(deployment.items.items()).toEqual(before);
    expect(deployment.wakes.sent).toHaveLength(sent);
  });

  it('when a poll was faster, which the run has not seen yet', async () => {
    const { deployment, service, job } = await waitingRun();
    service.answers = { fetch: () => SubagentResult.ok('polled') };
    const isRecorded = () =>
      deployment.items.items().some(({ sk, st }) => sk.startsWith('CALL#') && st === 'SUCCEEDED');
    await deployment.settle(async () => isRecorded());
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
    expect(await deliver(deployment, message(job, { result: 'told' }))).toMatchObject({ kind: 'signalled' });
    await endOf(deployment, 'r');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['polled']]);
  });

  it('when the message comes while a probe finds the same', async () => {
    const { deployment, service, job } = await waitingRun();
    service.answers = {
      status: async () => {
        await deliverAside(deployment, service, message(job, { result: 'told' }));
        return RunStatus.completed();
      },
      fetch: () => SubagentResult.ok('polled'),
    };
    await endOf(deployment, 'r');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['told']]);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
    expect(entriesIn(deployment)).toEqual([]);
  });

  it('when user code has cancelled the call before', async () => {
    const service = new JobService({ status: forEver });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const [given, kept] = [remote.submit('given up'), remote.submit('kept')];
      await ctx.sleep(5_000);
      given.cancel();
      const error = await given.catch((thrown: Error) => thrown.name);
      ctx.sendEvent(OutputEvent([error, (await kept).result]));
    });
    const { deployment } = simulate(agent, service);
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => service.count('cancel') === 1);
    const [given, kept] = service.jobs as [SubagentCall, SubagentCall];
    await deliver(deployment, message(given, { result: 'too late' }));
    await deliver(deployment, message(kept, { result: 'in time' }));
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual([['SubagentCancelledError', 'in time']]);
  });
});

describe('a message that is faster than the record of the submission', () => {
  /** A driver that dies at the record of the submission; in the meantime the message comes. */
  async function dyingDriver(when: 'before' | 'after', isToldAtOnce: boolean) {
    const service = new JobService({ status: forEver });
    const crashes = new ArmedCrash();
    const deployment = new SimulatedDeployment({ agents: [askingAgent(service, polling)], crashes });
    service.useClock(deployment.clock);
    service.answers = {
      status: forEver,
      submit: async (call) => {
        if (isToldAtOnce) await deliverAside(deployment, service, message(call, { result: 'told' }));
        crashes.arm('items.put', when);
      },
    };
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    await deployment.settle(async () => crashes.hasStruck);
    const [job] = service.jobs as [SubagentCall];
    if (!isToldAtOnce) await deliver(deployment, message(job, { result: 'told' }));
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['told']]);
    expect([service.count('submit'), service.count('reconcile'), service.count('status')]).toEqual([1, 0, 0]);
    expect(entriesIn(deployment)).toEqual([]);
    expect(statesOf(deployment.polls.executions)).toEqual(deployment.polls.executions.map(() => 'SUCCEEDED'));
  }

  it('counts when the driver dies between the two', () => dyingDriver('before', false));

  it.each([true, false])('counts when the driver dies just after it (message before that: %s)', (isToldAtOnce) =>
    dyingDriver('after', isToldAtOnce),
  );

  it('counts when it comes before the submission is answered, and leaves no poller behind', async () => {
    const service = new JobService();
    const { deployment } = simulate(askingAgent(service, polling), service);
    service.answers = {
      status: forEver,
      submit: (call) => deliverAside(deployment, service, message(call, { result: 'told' })),
    };
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual([['told']]);
    const endedAt = deployment.clock.now();
    await finishAll(deployment);
    expect(service.count('status')).toBe(0);
    expect(entriesIn(deployment)).toEqual([]);
    expect(deployment.clock.now() - endedAt).toBeLessThanOrEqual(5_000);
    expect(statesOf(deployment.polls.executions).every((status) => status === 'SUCCEEDED')).toBe(true);
  });
});
