import { type AgentDefinition, EventType, OutputEvent, ResourceType, type SubagentCall } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { runsFor } from './support/answers.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, simulate } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

/** Everything that names a call to the remote. */
const namesOf = ({ callId, sessionId, key, completion }: SubagentCall) => ({ callId, sessionId, key, ...completion });

describe('the identity of a call', () => {
  it('is the same for every hook, in every replay and every attempt', async () => {
    let attempts = 0;
    const service = new JobService({
      submit: (_call, nth) => {
        if (nth === 1) throw new Error('503');
      },
      reconcile: () => undefined,
      status: (call, nth) => runsFor(call.prompt === 'b' ? 1_000 : 4)(call, nth),
    });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const first = await remote.submit('a', { sessionId: 's' });
      await ctx.sleep(5_000);
      attempts += 1;
      if (attempts === 1) throw new Error('once');
      const second = remote.submit('b');
      await remote.submit('c');
      second.cancel();
      ctx.sendEvent(OutputEvent(first.result));
    });
    const { run, deployment } = simulate(agent, service, { 'run.stay-millis': 0 });
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['done'] });
    expect(deployment.drives.filter(({ kind }) => kind !== 'dropped').length).toBeGreaterThan(6);
    for (const prompt of ['a', 'b', 'c']) {
      const calls = service.log.filter(({ call }) => call.prompt === prompt);
      expect(calls.length).toBeGreaterThan(3);
      const [first] = calls;
      for (const { call } of calls) expect(call).toEqual(first?.call);
    }
    expect(new Set(service.log.map(({ hook }) => hook))).toEqual(
      new Set(['submit', 'reconcile', 'status', 'fetch', 'cancel']),
    );
    expect(service.jobs).toHaveLength(3);
  });

  it('differs for equal submits of an action, of two actions, and of two runs', async () => {
    const service = new JobService();
    const twice = ['one', 'two'].reduce(
      (built, name) =>
        built.addAction(name, EventType.InputEvent, async (_event, ctx) => {
          const remote = ctx.getResource('remote', ResourceType.AGENT);
          await Promise.all([remote.submit('same'), remote.submit('same')]);
        }),
      agentWith(service, polling),
    );
    const { run } = simulate(twice, service);
    await run('asks', 'same');
    await run('asks', 'same');
    expect(service.jobs).toHaveLength(8);
    for (const name of ['callId', 'sessionId', 'key', 'token'] as const) {
      expect(new Set(service.jobs.map((job) => namesOf(job)[name])).size).toBe(8);
    }
  });

  it('is the same for the same request in another deployment', async () => {
    const keys = async () => {
      const service = new JobService();
      const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        await ctx.getResource('remote', ResourceType.AGENT).submit('x');
      });
      await simulate(agent, service).run('asks', null, { requestId: 'r' });
      return service.jobs.map(({ key, callId }) => [key, callId]);
    };
    expect(await keys()).toEqual(await keys());
  });

  it('is made of letters and digits that any service takes, and shows where it belongs', async () => {
    const service = new JobService();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      await remote.submit('x', { sessionId: 'größer als "sicher" #/?' });
      await remote.submit('x');
    });
    await simulate(agent, service).run('asks', null, { requestId: 'order 17/b', key: 'kunde#4' });
    const [given, own] = service.jobs as [SubagentCall, SubagentCall];
    for (const { key, sessionId, callId } of [given, own]) {
      expect(key).toBe(`${sessionId}#${callId}`);
      expect(key).toMatch(/^[A-Za-z0-9_-]{22}#[A-Za-z0-9_-]{22}$/);
    }
    expect(own.sessionId).toBe(own.callId);
    expect(given.sessionId).not.toBe(given.callId);
    expect(given.completion.requestId).toBe('order 17/b');
  });
});

describe('a session', () => {
  const inSession = (service: JobService, name = 'asks', sessionId = 'thread'): AgentDefinition => ({
    ...agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.getResource('remote', ResourceType.AGENT).submit('x', { sessionId });
    }),
    name,
  });

  it('is one for all runs of a key, and another for another key, agent, or name', async () => {
    const service = new JobService();
    const { run } = simulate(
      [inSession(service), inSession(service, 'others'), inSession(service, 'third', 'thread 2')],
      service,
    );
    await run('asks', 1, { key: 'a' });
    await run('asks', 2, { key: 'a' });
    await run('asks', 3, { key: 'b' });
    await run('others', 4, { key: 'a' });
    await run('third', 5, { key: 'a' });
    const sessions = service.jobs.map(({ sessionId }) => sessionId);
    expect(sessions).toHaveLength(5);
    expect(sessions[1]).toBe(sessions[0]);
    expect(new Set(sessions).size).toBe(4);
    expect(new Set(service.jobs.map(({ callId }) => callId)).size).toBe(5);
  });

  it('of a run without a key is the run’s alone', async () => {
    const service = new JobService();
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      await remote.submit('x', { sessionId: 'thread' });
      await remote.submit('y', { sessionId: 'thread' });
    });
    const { run } = simulate(agent, service);
    await run('asks', 1);
    await run('asks', 1);
    const [first, second, third, fourth] = service.jobs.map(({ sessionId }) => sessionId);
    expect(second).toBe(first);
    expect(fourth).toBe(third);
    expect(third).not.toBe(first);
  });

  it('of a key and of a run without one are never the same', async () => {
    const service = new JobService();
    const { run } = simulate(inSession(service), service);
    await run('asks', 1, { key: 'same' });
    await run('asks', 2, { requestId: 'same' });
    expect(new Set(service.jobs.map(({ sessionId }) => sessionId)).size).toBe(2);
  });
});

describe('a replay that asks for something else', () => {
  it.each<[string, (replays: number) => [unknown, { sessionId?: string }]]>([
    ['another prompt', (replays) => [`prompt ${replays}`, {}]],
    ['another session', (replays) => ['x', { sessionId: `session ${replays}` }]],
    ['a session where there was none', (replays) => ['x', replays === 1 ? {} : { sessionId: 's' }]],
  ])('with %s is a mismatch, and nothing is submitted twice', async (_what, ask) => {
    let replays = 0;
    const service = new JobService({ status: runsFor(2) });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      replays += 1;
      await ctx.getResource('remote', ResourceType.AGENT).submit(...ask(replays));
    });
    const { run } = simulate(agent, service, { 'run.stay-millis': 0 });
    expect(await run('asks', null)).toMatchObject({
      status: 'BLOCKED',
      error: { name: 'ReplayMismatchError', message: expect.stringContaining('"remote"') },
    });
    expect(service.count('submit')).toBe(1);
  });

  it('is none when only the order of the prompt’s members differs', async () => {
    let replays = 0;
    const service = new JobService({ status: runsFor(2) });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      replays += 1;
      const prompt = replays === 1 ? { a: 1, b: 2 } : { b: 2, a: 1 };
      await ctx.getResource('remote', ResourceType.AGENT).submit(prompt);
    });
    expect(await simulate(agent, service, { 'run.stay-millis': 0 }).run('asks', null)).toMatchObject({
      status: 'COMPLETED',
    });
    expect(replays).toBeGreaterThan(1);
  });
});
