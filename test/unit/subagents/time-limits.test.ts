import { EventType, OutputEvent, ResourceType, RunStatus } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { forEver, runsFor } from './support/answers.ts';
import { CANCELLED, cancelled, replayAll } from './support/cancellation.ts';
import { JobService, passTime } from './support/job-service.ts';
import { agentWith, askingAgent, entriesIn, finishAll, simulate } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

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
