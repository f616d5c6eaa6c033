import { AgentError, EventType, OutputEvent, ResourceType, SubagentCancelledError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { byPrompt, CANCELLED, cancelled, countOf, failedCancellations, replayAll } from './support/cancellation.ts';
import { passTime } from './support/job-service.ts';
import { agentWith, entriesIn, finishAll, simulate, statesOf } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

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
