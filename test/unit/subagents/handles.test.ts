import { EventType, OutputEvent, ResourceType, type SubagentFuture } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { byPrompt, countOf, replayAll } from './support/cancellation.ts';
import { JobSetup } from './support/job-service.ts';
import { agentWith, entriesIn, finishAll, simulate, statesOf } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

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
