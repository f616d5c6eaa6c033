import {
  AgentError,
  EventType,
  OutputEvent,
  ResourceType,
  RunStatus,
  SubagentCancelledError,
  type SubagentFuture,
} from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { RunStore } from '../../../lib/store/run-store.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { ArmedCrash } from './support/armed-crash.ts';
import { JobService, JobSetup, passTime, runsFor } from './support/job-service.ts';
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
const forEver = runsFor(Number.POSITIVE_INFINITY);
/** Each drive ends at its first wait, so that everything is replayed. */
const replayAll = { 'run.stay-millis': 0 } as const;

/** Jobs that take as many probes as their prompt says. */
const byPrompt = () => new JobService({ status: (call, nth) => runsFor(Number(call.prompt))(call, nth) });

const cancelled = (handle: SubagentFuture): Promise<unknown> =>
  handle.then(
    ({ result }) => result,
    (error: unknown) => error instanceof SubagentCancelledError && `${error.name} ${error.code}`,
  );

const CANCELLED = 'SubagentCancelledError SUBAGENT_CANCELLED';

const entriesIn = ({ items }: SimulatedDeployment) => items.items().filter(({ sk }) => /^POLL#\d+#/.test(sk));

const countOf = (service: JobService, hook: 'cancel' | 'status', prompt: unknown): number =>
  service.log.filter((entry) => entry.hook === hook && entry.call.prompt === prompt).length;

describe.each([[{}], [replayAll]])('cancel() with %j', (config) => {
  it('before the answer gives the call up: the remote is told, and nothing is probed any more', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      await remote.submit(3);
      slow.cancel();
      const seen = await cancelled(slow);
      await remote.submit(4);
      ctx.sendEvent(OutputEvent(seen));
    });
    const { deployment, run } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [CANCELLED] });
    await finishAll(deployment);
    expect(countOf(service, 'cancel', 1_000)).toBe(1);
    expect(service.count('cancel')).toBe(1);
    const stoppedAt = service.log.findIndex(({ hook }) => hook === 'cancel');
    expect(service.log.slice(stoppedAt).filter(({ call }) => call.prompt === 1_000)).toHaveLength(1);
    expect(entriesIn(deployment)).toEqual([]);
    expect(statesOf(deployment.polls.executions)).toEqual(deployment.polls.executions.map(() => 'SUCCEEDED'));
  });

  it('at once after submit gives up what was never polled', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1_000);
      handle.cancel();
      expect(handle.isCancelled).toBe(true);
      const seen = await cancelled(handle);
      await ctx.sleep(10);
      ctx.sendEvent(OutputEvent(seen));
    });
    const { deployment, run } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [CANCELLED] });
    expect(service.log.map(({ hook }) => hook)).toEqual(['submit', 'cancel']);
    expect(entriesIn(deployment)).toEqual([]);
    expect(deployment.polls.executions).toEqual([]);
  });

  it('after the answer was seen changes nothing', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1);
      const before = (await handle).result;
      handle.cancel();
      await ctx.sleep(10);
      ctx.sendEvent(OutputEvent([before, (await handle).result]));
    });
    expect(await simulate(agent, service, config).run('asks', null)).toMatchObject({
      status: 'COMPLETED',
      outputs: [['done', 'done']],
    });
    expect(service.count('cancel')).toBe(0);
  });

  it('after the answer was recorded, but before it was seen, gives the answer', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const quick = remote.submit(1);
      // A driver that is busy meanwhile does not see the answer arrive.
      await ctx.durableExecute({ id: 'busy', call: () => passTime(service.clock, 100) });
      await remote.submit(9);
      quick.cancel();
      ctx.sendEvent(OutputEvent(await cancelled(quick)));
    });
    const { run, deployment } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    await finishAll(deployment);
    expect(service.count('cancel')).toBe(0);
  });

  it('a second time does nothing', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      await remote.submit(2);
      slow.cancel();
      slow.cancel();
      const first = await cancelled(slow);
      slow.cancel();
      await remote.submit(3);
      ctx.sendEvent(OutputEvent([first, await cancelled(slow)]));
    });
    expect(await simulate(agent, service, config).run('asks', null)).toMatchObject({
      outputs: [[CANCELLED, CANCELLED]],
    });
    expect(service.count('cancel')).toBe(1);
  });

  it('from another branch ends the wait of the one that awaits it', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      const seen: string[] = [];
      const waits = cancelled(slow).then((outcome) => void seen.push(`waited: ${outcome}`));
      const gives = remote.submit(3).then(() => {
        seen.push('gives up');
        slow.cancel();
      });
      await Promise.all([waits, gives]);
      ctx.sendEvent(OutputEvent(seen));
    });
    const { deployment, run } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ outputs: [['gives up', `waited: ${CANCELLED}`]] });
    await finishAll(deployment);
    expect(service.count('cancel')).toBe(1);
    expect(entriesIn(deployment)).toEqual([]);
  });

  it('and the time that passes afterwards are replayed as they were', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      await remote.submit(1);
      slow.cancel();
      const error: unknown = await slow.catch((thrown: unknown) => thrown);
      const isSame = error instanceof SubagentCancelledError && error instanceof AgentError;
      // Drives that begin later find the cancelled call in the journal.
      for (let wait = 0; wait < 3; wait += 1) await ctx.sleep(5_000);
      ctx.sendEvent(OutputEvent([isSame, String(error)]));
    });
    const { run } = simulate(agent, service, config);
    const { status, outputs } = await run('asks', null);
    expect(status).toBe('COMPLETED');
    expect(outputs).toEqual([
      [true, expect.stringMatching(/^SubagentCancelledError: The call of sub-agent "remote" was cancelled\./)],
    ]);
    expect([service.count('submit'), service.count('cancel')]).toEqual([2, 1]);
  });

  it('of an awaited call that nobody catches fails the run at once', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const slow = ctx.getResource('remote', ResourceType.AGENT).submit(1_000);
      await ctx.sleep(5_000);
      slow.cancel();
      await slow;
    });
    const { run, deployment } = simulate(agent, service, config);
    const { status, error } = await run('asks', null);
    expect(status).toBe('FAILED');
    expect(error).toBeInstanceOf(SubagentCancelledError);
    expect(deployment.drives.some(({ kind }) => kind === 'retried')).toBe(false);
  });

  it('asks a remote that fails to stop, and only tells of it in the trace', async () => {
    const service = byPrompt();
    service.answers = {
      ...service.answers,
      cancel: () => {
        throw new Error('cannot stop');
      },
    };
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(1_000);
      await remote.submit(1);
      slow.cancel();
      ctx.sendEvent(OutputEvent(await cancelled(slow)));
    });
    const { run, deployment } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [CANCELLED] });
    expect(failedCancellations(deployment)).toEqual([
      expect.objectContaining({
        entity_type: 'subagent',
        entity_name: 'remote',
        status: 'failed',
        error: { name: 'Error', message: 'cannot stop' },
      }),
    ]);
    expect(entriesIn(deployment)).toEqual([]);
  });

  it('waits ten seconds for a remote that hangs', async () => {
    const service = byPrompt();
    service.answers = { ...service.answers, cancel: () => new Promise(() => {}) };
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const slow = ctx.getResource('remote', ResourceType.AGENT).submit(1_000);
      slow.cancel();
      ctx.sendEvent(OutputEvent('done'));
    });
    const { run, deployment } = simulate(agent, service, config);
    const begin = deployment.clock.now();
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    expect(deployment.clock.now() - begin).toBe(10_000);
    expect(failedCancellations(deployment)).toHaveLength(1);
  });
});

const failedCancellations = ({ traces }: SimulatedDeployment) =>
  traces.filter((record) => record.problem_category === 'subagent_cancel_failed');

describe('a handle that is neither awaited nor cancelled', () => {
  it('fails the action, naming each of them', async () => {
    const [first, second] = [byPrompt(), byPrompt()];
    const agent = agentWith(first, polling)
      .addResource('policy', ResourceType.AGENT, { clazz: JobSetup, service: second, ...polling })
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        const remote = ctx.getResource('remote', ResourceType.AGENT);
        void remote.submit(1);
        void ctx.getResource('policy', ResourceType.AGENT).submit(2);
        await remote.submit(3);
        ctx.sendEvent(OutputEvent('never sent'));
      });
    const { status, error, outputs } = await simulate(agent, [first, second], { 'run.max-attempts': 2 }).run(
      'asks',
      null,
    );
    expect({ status, outputs }).toEqual({ status: 'FAILED', outputs: [] });
    expect(error).toMatchObject({
      code: 'UNAWAITED_CALL',
      message: expect.stringMatching(
        /Action "ask" ended without waiting for durable call "remote", "policy"\..*cancelled/,
      ),
    });
  });

  it.each<[string, (handle: SubagentFuture) => unknown]>([
    ['then', (handle) => handle.then(() => {})],
    ['catch', (handle) => handle.catch(() => {})],
    ['finally', (handle) => handle.finally(() => {})],
    ['Promise.all', (handle) => Promise.all([handle])],
    ['Promise.allSettled', (handle) => Promise.allSettled([handle])],
    ['Promise.any', (handle) => Promise.any([handle])],
    ['cancel', (handle) => handle.cancel()],
  ])('is not one that was given to %s', async (_name, use) => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      void use(remote.submit(1_000));
      await remote.submit(2);
      ctx.sendEvent(OutputEvent('went on'));
    });
    const { run, deployment } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['went on'] });
    await finishAll(deployment);
    // Nobody waits for it any more, so it is cancelled.
    expect(countOf(service, 'cancel', 1_000)).toBe(1);
    expect(entriesIn(deployment)).toEqual([]);
  });
});

describe('the losers of a race', () => {
  it.each([[{}], [replayAll]])('go on until the action ends, and are then cancelled (%j)', async (config) => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const racers = [remote.submit(500), remote.submit(2), remote.submit(600)];
      const first = await Promise.race(racers);
      await ctx.sleep(10_000);
      ctx.sendEvent(OutputEvent(first.result));
    });
    const { run, deployment } = simulate(agent, service, config);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    await finishAll(deployment);
    expect([countOf(service, 'cancel', 500), countOf(service, 'cancel', 600)]).toEqual([1, 1]);
    expect(countOf(service, 'cancel', 2)).toBe(0);
    // They were followed during the sleep.
    expect(countOf(service, 'status', 500)).toBeGreaterThanOrEqual(12);
    expect(entriesIn(deployment)).toEqual([]);
    expect(statesOf(deployment.polls.executions)).toEqual(deployment.polls.executions.map(() => 'SUCCEEDED'));
  });

  it('may answer after all as long as the action goes on', async () => {
    const service = byPrompt();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const slow = remote.submit(12);
      await Promise.race([remote.submit(2), slow]);
      ctx.sendEvent(OutputEvent((await slow).result));
    });
    expect(await simulate(agent, service).run('asks', null)).toMatchObject({ outputs: ['done'] });
    expect(service.count('cancel')).toBe(0);
  });
});

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

describe('a time limit', () => {
  it.each([[{}], [replayAll]])('asks the remote to stop, and is an error as a value (%j)', async (config) => {
    const service = new JobService({ status: forEver });
    const agent = askingAgent(service, { ...polling, timeoutMillis: 7_000 });
    const { deployment, run } = simulate(agent, service, config);
    const begin = deployment.clock.now();
    const { status, outputs } = await run('asks', 'x');
    expect(status).toBe('COMPLETED');
    expect(outputs).toEqual([[{ error: 'Sub-agent "remote" gave no answer within 7000 ms.' }]]);
    expect(deployment.clock.now() - begin).toBeGreaterThanOrEqual(7_000);
    expect(deployment.clock.now() - begin).toBeLessThanOrEqual(8_000);
    await finishAll(deployment);
    expect(service.count('cancel')).toBe(1);
    expect(entriesIn(deployment)).toEqual([]);
  });

  it('that is not reached changes nothing', async () => {
    const service = new JobService({ status: runsFor(3) });
    const { run } = simulate(askingAgent(service, { ...polling, timeoutMillis: 60_000 }), service);
    expect(await run('asks', 'x')).toMatchObject({ outputs: [['done']] });
    expect(service.count('cancel')).toBe(0);
  });

  it('of a call that was cancelled has no effect any more', async () => {
    const service = new JobService({ status: forEver });
    const agent = agentWith(service, { ...polling, timeoutMillis: 7_000 }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const handle = ctx.getResource('remote', ResourceType.AGENT).submit('x');
        await ctx.sleep(3_000);
        handle.cancel();
        await ctx.durableExecute({ id: 'busy', call: () => passTime(service.clock, 10_000) });
        ctx.sendEvent(OutputEvent(await cancelled(handle)));
      },
    );
    const { run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [CANCELLED] });
    expect(service.count('cancel')).toBe(1);
  });

  it('counts from submit, also while the remote cannot be asked', async () => {
    const service = new JobService({
      status: () => {
        throw new Error('500');
      },
    });
    const { run, deployment } = simulate(askingAgent(service, { ...polling, timeoutMillis: 20_000 }), service);
    const begin = deployment.clock.now();
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [[{ error: expect.any(String) }]] });
    expect(deployment.clock.now() - begin).toBeLessThanOrEqual(21_000);
  });

  it('fixes the answer before the remote is told', async () => {
    const service = new JobService({
      status: (call) =>
        service.times('cancel', call.key).length > 0 ? RunStatus.failed('stopped') : RunStatus.running(),
    });
    const { run } = simulate(askingAgent(service, { ...polling, timeoutMillis: 7_000 }), service);
    expect(await run('asks', 'x')).toMatchObject({
      outputs: [[{ error: expect.stringContaining('no answer within') }]],
    });
  });
});
