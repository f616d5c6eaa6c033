import { EventType, OutputEvent, ResourceType, type SubagentCall } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { forEver } from '../subagents/support/answers.ts';
import { deliver, deliverAside, message, waitingRun } from '../subagents/support/completion.ts';
import { JobService, passTime } from '../subagents/support/job-service.ts';
import {
  agentWith,
  endOf,
  entriesIn,
  finishAll,
  goOn,
  outputsOf,
  simulate,
  startWaiting,
  statesOf,
} from '../subagents/support/simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

describe('a message that completes a call', () => {
  it('is its answer: nothing is probed any more, and the execution ends', async () => {
    const { deployment, service, job } = await waitingRun();
    const probes = service.count('status');
    const sentAt = deployment.clock.now();
    expect(await deliver(deployment, message(job, { result: { passed: 17 } }))).toEqual({
      kind: 'signalled',
      runId: 'r',
    });
    // Also while the run has not been woken yet, nobody is to probe it.
    expect(entriesIn(deployment)).toEqual([]);
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(deployment.clock.now()).toBe(sentAt);
    expect(outputsOf(deployment, 'r')).toEqual([[{ passed: 17 }]]);
    await finishAll(deployment);
    expect([service.count('status') - probes, service.count('fetch')]).toEqual([0, 0]);
    expect(statesOf(deployment.polls.executions)).toEqual(['SUCCEEDED']);
    expect(deployment.clock.now() - sentAt).toBeLessThanOrEqual(2_000);
  });

  it('may report an error, which is an answer too', async () => {
    const { deployment, job } = await waitingRun();
    await deliver(deployment, message(job, { error: 'out of memory' }));
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(outputsOf(deployment, 'r')).toEqual([[{ error: 'out of memory' }]]);
  });

  it('completes that call alone', async () => {
    const { deployment, service } = await waitingRun(new JobService({ status: forEver }), 3);
    const [first, second, third] = service.jobs as [SubagentCall, SubagentCall, SubagentCall];
    expect(new Set(service.jobs.map(({ completion }) => completion.token)).size).toBe(3);
    await deliver(deployment, message(second, { result: 'second' }));
    await goOn(deployment, 10_000);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
    await deliver(deployment, message(third, { result: null }));
    await deliver(deployment, message(first, { error: 'first' }));
    await endOf(deployment, 'r');
    expect(outputsOf(deployment, 'r')).toEqual([[{ error: 'first' }, 'second', null]]);
  });

  it('is seen by a driver that another action keeps busy', async () => {
    const service = new JobService({ status: forEver });
    const seen: string[] = [];
    const agent = agentWith(service, polling)
      .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        const { result } = await ctx.getResource('remote', ResourceType.AGENT).submit('x');
        seen.push(String(result));
      })
      .addAction('work', EventType.InputEvent, async (_event, ctx) => {
        const call = async (): Promise<void> => {
          await passTime(service.clock, 10_000);
          await deliverAside(deployment, service, message(service.jobs[0] as SubagentCall, { result: 'told' }));
          await passTime(service.clock, 40_000);
        };
        await ctx.durableExecute({ id: 'long', call });
        seen.push('worked');
      });
    const { deployment } = simulate(agent, service);
    deployment.send({ agent: 'asks', requestId: 'r', input: null });
    expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
    expect(seen).toEqual(['told', 'worked']);
    expect(deployment.drives.map(({ kind }) => kind)).toEqual(['ended']);
    await finishAll(deployment);
    expect(service.count('status')).toBe(0);
    expect(statesOf(deployment.polls.executions)).toEqual(deployment.polls.executions.map(() => 'SUCCEEDED'));
  });

  it('shows a token that is the same in every replay', async () => {
    const seen = new Set<string>();
    const service = new JobService({
      submit: (call) => void seen.add(call.completion.token),
      status: (call, nth) => {
        seen.add(call.completion.token);
        return forEver(call, nth);
      },
    });
    const { deployment, job } = await waitingRun(service);
    await deployment.wakes.send({ runId: 'r', reason: 'due' });
    await goOn(deployment, 20 * 60_000);
    expect([...seen]).toEqual([job.completion.token]);
    await deliver(deployment, message(job, { result: 'late' }));
    await endOf(deployment, 'r');
    expect(outputsOf(deployment, 'r')).toEqual([['late']]);
  });

  it('holds a result of any size that can be stored', async () => {
    const { deployment, job } = await waitingRun();
    const result = 'x'.repeat(200_000);
    await deliver(deployment, message(job, { result }));
    await endOf(deployment, 'r');
    expect(outputsOf(deployment, 'r')).toEqual([[result]]);
    expect(deployment.payloads.keys().length).toBeGreaterThan(0);
  });
});

describe('a message that is refused', () => {
  const wrong: [string, (job: SubagentCall) => object][] = [
    ['a wrong token', (job) => message(job, { result: 1 }, { token: 'x'.repeat(22) })],
    [
      'a token that differs in its last character',
      (job) => message(job, { result: 1 }, { token: `${job.completion.token}x` }),
    ],
    ['the name of no call', (job) => message(job, { result: 1 }, { name: 'deploy' })],
    [
      'the name of another occurrence',
      (job) => message(job, { result: 1 }, { name: job.completion.name.replace(/0$/, '7') }),
    ],
    ['the name of another action', (job) => message(job, { result: 1 }, { name: `${'A'.repeat(22)}#remote#0` })],
    ['an unknown run', (job) => message(job, { result: 1 }, { requestId: 'nobody' })],
    ['a wrong token and no value that completes a call', (job) => message(job, 17, { token: 'guess' })],
  ];

  it.each(wrong)('because of %s changes nothing, and says no more than any other', async (_what, body) => {
    const { deployment, job } = await waitingRun();
    const before = deployment.items.items();
    const result = await deliver(deployment, body(job));
    expect(result).toMatchObject({ kind: 'refused', reason: 'INVALID_TOKEN' });
    expect(result).toEqual(await deliver(deployment, message(job, { result: 1 }, { token: 'guess' })));
    expect(deployment.deadLetters.sent.map(({ reason }) => reason)).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN']);
    expect(deployment.items.items()).toEqual(before);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'done'],
    ['a number', 17],
    ['a list', [{ result: 1 }]],
    ['an empty object', {}],
    ['both ends', { result: 1, error: 'x' }],
    ['an unknown member', { result: 1, more: 2 }],
    ['an error that is no text', { error: { message: 'x' } }],
    ['an empty error', { error: '' }],
  ])('because its value is %s names what is expected and changes nothing', async (_what, value) => {
    const { deployment, job } = await waitingRun();
    const before = deployment.items.items();
    expect(await deliver(deployment, message(job, value))).toMatchObject({
      kind: 'refused',
      reason: 'INVALID_INPUT',
      detail: expect.stringContaining('Send { "result": … } or { "error": "…" }.'),
    });
    expect(deployment.items.items()).toEqual(before);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
  });

  it('may not complete a durable call, whatever its name', async () => {
    const service = new JobService({ status: forEver });
    const agent = agentWith(service, polling).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.waitForSignal('approval');
      ctx.sendEvent(OutputEvent((await ctx.getResource('remote', ResourceType.AGENT).submit('x')).result));
    });
    const { deployment } = simulate(agent, service);
    await startWaiting(deployment, 'r');
    const wait = deployment.items.items().find(({ sk }) => sk.startsWith('CALL#'));
    const name = String(wait?.sk).replace('CALL#', '');
    const signal = { requestId: 'r', name, token: 'undefined', value: { result: 1 } };
    expect(await deliver(deployment, { signal })).toMatchObject({ kind: 'refused', reason: 'INVALID_TOKEN' });
  });

  it('is not one without a token: that is a plain signal, and completes no call', async () => {
    const { deployment, service, job } = await waitingRun();
    const { requestId, name } = job.completion;
    const probes = service.count('status');
    expect(await deliver(deployment, { signal: { requestId, name, value: { result: 1 } } })).toMatchObject({
      kind: 'signalled',
    });
    await goOn(deployment, 10_000);
    expect((await deployment.run('r'))?.status).toBe('SUSPENDED');
    expect(service.count('status')).toBeGreaterThan(probes);
    expect(outputsOf(deployment, 'r')).toEqual([]);
  });
});
