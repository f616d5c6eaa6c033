import { type AgentDefinition, defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { Remote } from '../subagents/support/remote.ts';

/** An agent that has so many calls under way at once. */
const agentWith = (calls: number): AgentDefinition =>
  defineAgent({ name: 'asks' })
    .addResource('remote', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const remote = ctx.getResource('remote', ResourceType.AGENT);
      const answers = await Promise.all(Array.from({ length: calls }, (_, call) => remote.submit({ call })));
      ctx.sendEvent(OutputEvent(answers.length));
    });

/** What a run with so many calls costs the store, of which each is found running so many times. */
async function costOf(calls: number, probes: number) {
  const { deployment, run } = testRuntime([agentWith(calls)], {
    subagents: { remote: scripted.completesAfter(probes, 'done') },
  });
  expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [calls] });
  while (deployment.polls.open().length > 0 || !deployment.isIdle) {
    if (!(await deployment.step())) deployment.clock.advanceBy(1_000);
  }
  const { meter } = deployment.items;
  const drives = deployment.drives.filter(({ kind }) => kind !== 'dropped').length;
  return {
    writes: meter.total.writes,
    queries: meter.operation('query').calls,
    drives,
    executions: deployment.polls.executions,
  };
}

describe('the store budget of async sub-agents', () => {
  it('is 5 writes for a call and 2 for a poller, however long it is polled', async () => {
    // A run with one action makes 5; a suspension and a resumption are one each.
    for (const probes of [0, 1, 50]) expect((await costOf(1, probes)).writes).toBe(5 + 2 + 5 + 2);
  });

  it('is one read for a round', async () => {
    const [few, many] = [await costOf(1, 10), await costOf(1, 60)];
    expect(many.queries - few.queries).toBe(50);
    expect(many.executions).toHaveLength(1);
    // Wait, Task and Choice; the first state and the last one are entered once.
    expect((many.executions[0]?.transitions ?? 0) - (few.executions[0]?.transitions ?? 0)).toBe(3 * 50);
  });

  it('grows by 5 writes for each further call', async () => {
    const [one, ten] = [await costOf(1, 3), await costOf(10, 3)];
    // Each drive beyond the first two is a resumption and a suspension more: the calls need not end in one round.
    const resumptions = ten.drives - one.drives;
    expect(ten.writes - one.writes).toBeLessThanOrEqual(5 * 9 + 2 * resumptions);
    expect(ten.executions).toHaveLength(1);
  });
});
