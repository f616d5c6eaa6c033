import {
  type AgentError,
  CallTimeoutError,
  EventType,
  OutputEvent,
  ResourceType,
  RunStatus,
  SubagentCancelledError,
} from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { runsFor } from './support/answers.ts';
import { type Answer, JobService, passTime } from './support/job-service.ts';
import { agentWith, askingAgent, finishAll, outputsOf, redriveToEnd, simulate } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };
const refused: Answer = () => {
  throw new Error('503 Service Unavailable');
};
const hanging: Answer = () => new Promise(() => {});
const taken: Answer = () => undefined;
const firstTimes =
  (times: number, before: Answer, after: Answer): Answer =>
  (call, nth) =>
    (nth <= times ? before : after)(call, nth);

describe('a submission that fails', () => {
  it('fails the attempt of whoever awaits it; the next one asks instead of submitting again', async () => {
    const service = new JobService({ submit: refused, reconcile: taken });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect([service.count('submit'), service.count('reconcile')]).toEqual([1, 1]);
    const retries = deployment.drives.filter(({ kind }) => kind === 'retried');
    expect(retries).toMatchObject([{ afterMillis: 1_000, error: { message: '503 Service Unavailable' } }]);
  });

  it('by default asks for the status, and submits again what the service does not know', async () => {
    const service = new JobService({
      submit: firstTimes(1, refused, taken),
      status: () => (service.count('submit') === 1 ? RunStatus.notStarted() : RunStatus.completed()),
    });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(service.log.slice(0, 4).map(({ hook }) => hook)).toEqual(['submit', 'reconcile', 'status', 'submit']);
    expect(service.jobs).toHaveLength(1);
  });

  it('by default does not submit again what the service knows', async () => {
    const service = new JobService({ submit: refused, status: runsFor(3) });
    const { run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(service.count('submit')).toBe(1);
  });

  it('is tried after longer and longer waits, and in the end fails the run with its own error', async () => {
    const service = new JobService({ submit: refused, reconcile: refused });
    const { deployment, run } = simulate(askingAgent(service, polling), service, { 'run.max-attempts': 4 });
    const { status, error } = await run('asks', 'x', { requestId: 'r' });
    expect(status).toBe('FAILED');
    expect(error).toMatchObject({ name: 'Error', message: '503 Service Unavailable' });
    const waits = deployment.drives.flatMap((drive) => (drive.kind === 'retried' ? [drive.afterMillis] : []));
    // The first attempt recorded that the call begins, which is something new.
    expect(waits).toEqual([1_000, 1_000, 2_000, 4_000].slice(0, waits.length));
    expect(waits.length).toBeGreaterThanOrEqual(3);
    expect(service.count('submit')).toBe(1);
    // A poller would have nothing to do.
    expect(deployment.polls.executions).toEqual([]);

    service.answers = { reconcile: taken };
    expect((await redriveToEnd(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual([['done']]);
    expect(service.count('submit')).toBe(1);
  });

  it('is not seen before somebody awaits the handle', async () => {
    let effects = 0;
    const service = new JobService({ submit: refused, reconcile: taken });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit('x');
      await ctx.durableExecute({ id: 'meanwhile', call: async () => ++effects });
      await ctx.sleep(500);
      await ctx.durableExecute({ id: 'afterwards', call: async () => ++effects });
      ctx.sendEvent(OutputEvent((await handle).result));
    });
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    expect(effects).toBe(2);
    expect(deployment.drives.filter(({ kind }) => kind === 'retried')).toHaveLength(1);
  });

  it('is not caught by the action: the error is the framework’s to handle', async () => {
    let caught = 0;
    const service = new JobService({ submit: refused, reconcile: taken });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      try {
        ctx.sendEvent(OutputEvent((await ctx.getResource('remote', ResourceType.AGENT).submit('x')).result));
      } catch {
        caught += 1;
      }
    });
    expect(await simulate(agent, service).run('asks', null)).toMatchObject({ outputs: ['done'] });
    expect(caught).toBe(0);
  });

  it('because it hangs is given up after thirty seconds', async () => {
    const service = new JobService({ submit: hanging, reconcile: taken });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', 'x')).toMatchObject({ status: 'COMPLETED' });
    const [retry] = deployment.drives.filter(({ kind }) => kind === 'retried');
    expect(retry).toMatchObject({ error: { message: expect.stringContaining('within 30000 ms') } });
    expect(retry?.kind === 'retried' && retry.error).toBeInstanceOf(CallTimeoutError);
    const [job] = service.jobs;
    expect((service.times('reconcile', job?.key ?? '')[0] as number) - (service.log[0]?.at as number)).toBe(31_000);
  });

  it('because the drive’s time is up is asked about by the next drive', async () => {
    const service = new JobService({ submit: () => passTime(service.clock, 25_000), reconcile: taken });
    const runtime = testRuntime([askingAgent(service, polling)], { driveTimeoutMillis: 30_000 });
    service.useClock(runtime.deployment.clock);
    expect(await runtime.run('asks', 'x')).toMatchObject({ status: 'COMPLETED', outputs: [['done']] });
    expect(runtime.deployment.drives.map(({ kind }) => kind)).toContain('continued');
    expect([service.count('submit'), service.count('reconcile')]).toEqual([1, 1]);
  });

  it('of a handle that is cancelled does not fail the run', async () => {
    const service = new JobService({ submit: refused, reconcile: refused });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit('x');
      await ctx.sleep(300);
      handle.cancel();
      ctx.sendEvent(OutputEvent('went on'));
    });
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['went on'] });
    expect(deployment.drives.map(({ kind }) => kind)).toEqual(['ended']);
    // Whether it arrived is not known, so the service is told.
    expect([service.count('submit'), service.count('cancel')]).toEqual([1, 1]);
    await finishAll(deployment);
    expect(deployment.polls.executions).toEqual([]);
  });

  it.each([
    ['at once', 0],
    ['after the failure', 300],
  ])('of a handle that is cancelled %s and then awaited is a cancelled call', async (_when, waitMillis) => {
    const service = new JobService({ submit: refused, reconcile: refused });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit('x');
      if (waitMillis > 0) await ctx.sleep(waitMillis);
      handle.cancel();
      const error = await handle.catch((thrown: unknown) => thrown);
      ctx.sendEvent(OutputEvent(error instanceof SubagentCancelledError));
    });
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [true] });
    expect(deployment.drives.map(({ kind }) => kind)).toEqual(['ended']);
    expect(service.count('submit')).toBe(1);
  });

  it('fails no call beside it that nobody awaits yet', async () => {
    const service = new JobService({
      submit: (call, nth) => (call.prompt === 'bad' ? refused(call, nth) : undefined),
      reconcile: taken,
      status: runsFor(4),
    });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const [bad, good] = [remote.submit('bad'), remote.submit('good')];
      const answers = [(await good).result, (await bad).result];
      ctx.sendEvent(OutputEvent(answers));
    });
    expect(await simulate(agent, service).run('asks', null)).toMatchObject({
      status: 'COMPLETED',
      outputs: [['done', 'done']],
    });
    expect(service.count('submit')).toBe(2);
  });
});

describe('what submit refuses', () => {
  const thrownBy = async (prompt: unknown, options?: unknown): Promise<unknown> => {
    const service = new JobService();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      try {
        ctx
          .getResource('remote', ResourceType.AGENT)
          .submit(prompt, options as never)
          .cancel();
      } catch (error) {
        ctx.sendEvent(OutputEvent({ ...(error as AgentError), message: (error as AgentError).message }));
      }
    });
    const { outputs } = await simulate(agent, service).run('asks', null);
    expect(service.count('submit')).toBe(outputs.length === 0 ? 1 : 0);
    return outputs[0];
  };

  it.each([
    ['a function', () => 1, 'is function'],
    ['a nested date', { when: new Date(0) }, '.when is an instance of Date'],
    ['a map', new Map(), 'an instance of Map'],
    ['infinity', [1, Number.POSITIVE_INFINITY], '[1] is Infinity'],
    ['a bigint', { n: 1n }, '.n is bigint'],
    ['nothing', undefined, 'is undefined'],
  ])('%s as a prompt', async (_what, prompt, told) => {
    expect(await thrownBy(prompt)).toMatchObject({
      code: 'NOT_SERIALIZABLE',
      message: expect.stringContaining(told),
    });
  });

  it.each([
    ['an unknown option', { session: 'a' }],
    ['a session id that is no text', { sessionId: 1 }],
    ['an empty session id', { sessionId: '' }],
    ['a session id of more than 128 bytes', { sessionId: 'ü'.repeat(65) }],
  ])('%s', async (_what, options) => {
    expect(await thrownBy('x', options)).toMatchObject({ code: 'INVALID_CALL' });
  });

  it('does not refuse any JSON', async () => {
    for (const prompt of ['', 0, null, [], {}, { a: [1, 'b', null, true] }]) {
      expect(await thrownBy(prompt)).toBeUndefined();
    }
  });
});
