import { EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import type { WakeMessage } from '../../../lib/testing/in-memory-queues.ts';
import type { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { runsFor } from './support/answers.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, askingAgent, endOf, finishAll, outputsOf, simulate, startWaiting } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

/** Two calls that end at different times, one after the other, and a third one behind them. */
const busyAgent = (service: JobService) =>
  agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
    const remote = ctx.getResource('remote', ResourceType.AGENT);
    const [quick, slow] = [remote.submit(2), remote.submit(9)];
    const first = await quick;
    const third = await remote.submit(3);
    ctx.sendEvent(OutputEvent([first, await slow, third].map(({ result }) => result)));
  });

const byPrompt = () => new JobService({ status: (call, nth) => runsFor(Number(call.prompt))(call, nth) });

/** How messages are taken out of the wake queue, instead of the one that is visible for longest. */
function takeWakes(
  { wakes, clock }: SimulatedDeployment,
  choose: (visible: readonly WakeMessage[]) => WakeMessage | undefined,
): void {
  wakes.takeVisible = () => {
    const visible = wakes.waiting().filter(({ visibleAt }) => visibleAt <= clock.now());
    const chosen = visible.length === 0 ? undefined : choose(visible);
    return chosen && wakes.take(chosen);
  };
}

describe('a wake that is lost', () => {
  it('after the answer was recorded is made up for by the sweep', async () => {
    const service = new JobService({ status: runsFor(4) });
    const { deployment } = simulate(askingAgent(service, polling), service);
    const lost: WakeMessage[] = [];
    takeWakes(deployment, (visible) => {
      for (const message of visible.filter(({ wake }) => wake.reason === 'answer'))
        lost.push(deployment.wakes.take(message));
      return visible.find(({ wake }) => wake.reason !== 'answer');
    });
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => lost.length > 0);
    const recordedAt = deployment.clock.now();
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(deployment.clock.now() - recordedAt).toBeLessThanOrEqual(120_000);
    expect(lost).toHaveLength(1);
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
  });

  it('of every kind but the sweep’s delays the run and changes nothing', async () => {
    const service = byPrompt();
    const { deployment } = simulate(busyAgent(service), service);
    takeWakes(deployment, (visible) => {
      for (const message of visible.filter(({ wake }) => wake.reason !== 'due')) deployment.wakes.take(message);
      return visible.find(({ wake }) => wake.reason === 'due');
    });
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    await finishAll(deployment);
    expect(outputsOf(deployment, 'r')).toEqual([['done', 'done', 'done']]);
    expect([service.count('submit'), service.count('fetch')]).toEqual([3, 3]);
  });
});

describe('wakes that come otherwise than they were sent', () => {
  const outcome = async (disturb: (deployment: SimulatedDeployment) => void) => {
    const service = byPrompt();
    const { deployment } = simulate(busyAgent(service), service);
    disturb(deployment);
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    const run = await endOf(deployment, 'r');
    await finishAll(deployment);
    const jobs = service.jobs.map(({ key, prompt }) => ({ prompt, probes: service.times('status', key).length }));
    return {
      status: run.status,
      outputs: outputsOf(deployment, 'r'),
      posts: service.count('submit'),
      fetches: service.count('fetch'),
      reconciled: service.count('reconcile'),
      jobs,
      open: deployment.polls.open().length,
      attempts: run.attempts,
    };
  };

  it.each<[string, (deployment: SimulatedDeployment) => void]>([
    [
      'three times each',
      ({ wakes }) => {
        const send = wakes.send.bind(wakes);
        wakes.send = async (wake, delaySeconds) => {
          for (let copy = 0; copy < 3; copy += 1) await send(wake, delaySeconds);
        };
      },
    ],
    [
      'again a while later',
      ({ wakes }) => {
        const send = wakes.send.bind(wakes);
        wakes.send = async (wake, delaySeconds = 0) => {
          await send(wake, delaySeconds);
          for (const later of [1, 3, 7]) await send(wake, Math.min(delaySeconds + later, 900));
        };
      },
    ],
    ['the last one first', (deployment) => takeWakes(deployment, (visible) => visible.at(-1))],
  ])('%s, change nothing', async (_how, disturb) => {
    const calm = await outcome(() => {});
    expect(calm).toMatchObject({ status: 'COMPLETED', outputs: [['done', 'done', 'done']], posts: 3, reconciled: 0 });
    expect(await outcome(disturb)).toEqual(calm);
  });
});

describe('a wake without a reason', () => {
  it('leaves a run that waits as it is', async () => {
    const service = new JobService({ status: runsFor(50) });
    const { deployment } = simulate(askingAgent(service, polling), service);
    await startWaiting(deployment, 'r');
    const before = deployment.items.items();
    const drives = deployment.drives.length;
    for (const reason of ['answer', 'timer', 'due'] as const) await deployment.wakes.send({ runId: 'r', reason });
    while (!deployment.isIdle) await deployment.step();
    expect(deployment.drives.slice(drives).map(({ kind }) => kind)).toEqual(['dropped', 'dropped', 'dropped']);
    expect(deployment.items.items()).toEqual(before);
  });

  it('leaves a run that has ended as it is', async () => {
    const service = new JobService({ status: runsFor(2) });
    const { deployment } = simulate(askingAgent(service, polling), service);
    await startWaiting(deployment, 'r');
    await endOf(deployment, 'r');
    await finishAll(deployment);
    const before = deployment.items.items();
    const [drives, sent] = [deployment.drives.length, deployment.outputs.sent.length];
    for (const reason of ['answer', 'due', 'accepted'] as const) await deployment.wakes.send({ runId: 'r', reason });
    while (!deployment.isIdle) await deployment.step();
    expect(deployment.drives.slice(drives)).toEqual(
      Array(3).fill({ kind: 'dropped', why: expect.stringContaining('COMPLETED') }),
    );
    expect(deployment.items.items()).toEqual(before);
    expect(deployment.outputs.sent).toHaveLength(sent);
  });
});
