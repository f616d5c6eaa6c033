import {
  EventType,
  NotSerializableError,
  OutputEvent,
  ResourceType,
  type SubagentCall,
  SubagentResult,
  TerminalAgentError,
} from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { itemBytes } from '../../../lib/testing/item-size.ts';
import type { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { runsFor } from './support/answers.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, askingAgent, finishAll, goOn, simulate, startWaiting } from './support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };
const replayAll = { 'run.stay-millis': 0 } as const;

const largestItem = ({ items }: SimulatedDeployment): number => Math.max(...items.items().map(itemBytes));

describe('a large prompt', () => {
  it('goes through the payload store, and every hook gets it whole', async () => {
    const prompt = { diff: 'ü'.repeat(50_000), lines: [1, 2, 3] };
    const service = new JobService({
      status: (call, nth) => runsFor(call.key === service.jobs[0]?.key ? 1_000 : 3)(call, nth),
    });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const given = remote.submit(prompt);
      await remote.submit(prompt);
      given.cancel();
    });
    const { deployment } = simulate(agent, service, replayAll);
    await startWaiting(deployment, 'r');
    expect(deployment.payloads.keys()).toHaveLength(1);
    expect(largestItem(deployment)).toBeLessThan(1_024);
    await finishAll(deployment);
    expect((await deployment.run('r'))?.status).toBe('COMPLETED');
    for (const { hook, call } of service.log) expect({ hook, prompt: call.prompt }).toEqual({ hook, prompt });
    expect(new Set(service.log.map(({ hook }) => hook))).toEqual(new Set(['submit', 'status', 'fetch', 'cancel']));
  });

  it.each([
    ['1,024 bytes', 'x'.repeat(1_022), 0],
    ['1,025 bytes', 'x'.repeat(1_023), 1],
    ['1,025 bytes in fewer characters', `${'ü'.repeat(511)}x`, 1],
  ])('is one of more than 1,024 bytes: %s', async (_size, prompt, stored) => {
    const service = new JobService({ status: runsFor(3) });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.getResource('remote', ResourceType.AGENT).submit(prompt);
    });
    const { deployment, run } = simulate(agent, service);
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED' });
    expect(deployment.payloads.keys()).toHaveLength(stored);
    expect(service.log.every(({ call }) => call.prompt === prompt)).toBe(true);
  });

  it('that many calls share is stored once', async () => {
    const service = new JobService({ status: runsFor(2) });
    const { deployment, run } = simulate(askingAgent(service, polling, 10), service);
    await run('asks', 'x'.repeat(50_000), { requestId: 'r' });
    expect(deployment.payloads.keys().filter((key) => key.startsWith('payload/r/'))).toHaveLength(1);
  });
});

describe('a large answer', () => {
  it('goes through the payload store, and the action gets it whole, also in a replay', async () => {
    const report = { lines: Array.from({ length: 10_000 }, (_, line) => `line ${line} is covered`) };
    const service = new JobService({ status: runsFor(3), fetch: () => SubagentResult.ok(report) });
    const seen: unknown[] = [];
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.getResource('remote', ResourceType.AGENT).submit('x');
      seen.push(answer.result);
      await ctx.sleep(10_000);
      ctx.sendEvent(OutputEvent((answer.result as typeof report).lines.length));
    });
    const { deployment } = simulate(agent, service, replayAll);
    await startWaiting(deployment, 'r');
    await deployment.settle(async () => deployment.payloads.keys().length > 0);
    await goOn(deployment, 5_000);
    expect(largestItem(deployment)).toBeLessThan(1_024);
    await finishAll(deployment);
    expect(seen.length).toBeGreaterThan(1);
    for (const result of seen) expect(result).toEqual(report);
    expect(service.count('fetch')).toBe(1);
  });
});

describe('an answer that cannot be stored', () => {
  const askFor = async (answer: () => SubagentResult, more: { maxBytes?: number; isCaught?: boolean } = {}) => {
    const service = new JobService({ fetch: answer });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit('x');
      if (!more.isCaught) await handle;
      const error = await handle.catch((thrown: Error & { code?: string }) => thrown);
      ctx.sendEvent(OutputEvent(error instanceof Error ? `${error.name} ${error.code}` : 'no error'));
    });
    const runtime = simulate(agent, service, more.maxBytes === undefined ? {} : { 'payload.max-bytes': more.maxBytes });
    const result = await runtime.run('asks', null);
    await finishAll(runtime.deployment);
    expect(service.count('fetch')).toBe(1);
    return { ...result, retries: runtime.deployment.drives.filter(({ kind }) => kind === 'retried').length };
  };

  it('fails the call with an error that names the place, and the run at once', async () => {
    const result = await askFor(() => SubagentResult.ok({ passed: [1, { stop: () => 2 }] }));
    expect(result).toMatchObject({
      status: 'FAILED',
      retries: 0,
      error: {
        code: 'NOT_SERIALIZABLE',
        message: expect.stringContaining('the answer of the sub-agent.result.passed[1].stop'),
      },
    });
    expect(result.error).toBeInstanceOf(NotSerializableError);
  });

  it('because it is too large fails it likewise', async () => {
    const result = await askFor(() => SubagentResult.ok('x'.repeat(100_000)), { maxBytes: 90_000 });
    expect(result).toMatchObject({
      status: 'FAILED',
      retries: 0,
      error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('The answer of the sub-agent has 1000') },
    });
    expect(result.error).toBeInstanceOf(TerminalAgentError);
  });

  it('may be caught by the action', async () => {
    expect(await askFor(() => SubagentResult.ok(() => 1), { isCaught: true })).toMatchObject({
      status: 'COMPLETED',
      outputs: ['NotSerializableError NOT_SERIALIZABLE'],
    });
  });

  it('after redrive is fetched again, of the same job', async () => {
    const service = new JobService({ fetch: () => SubagentResult.ok(() => 1) });
    const { deployment, run } = simulate(askingAgent(service, polling), service);
    expect(await run('asks', null, { requestId: 'r' })).toMatchObject({ status: 'FAILED' });
    const [job] = service.jobs as [SubagentCall];
    service.answers = { fetch: () => SubagentResult.ok('storable'), reconcile: () => undefined };
    deployment.send({ redrive: { requestId: 'r' } });
    await deployment.settle(async () => (await deployment.run('r'))?.status === 'COMPLETED');
    expect(service.jobs.map(({ key }) => key)).toEqual([job.key]);
  });
});
