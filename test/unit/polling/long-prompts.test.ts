import { defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { expect, it } from 'vitest';
import { Remote } from '../subagents/support/remote.ts';

it('does not count a prompt that our own store does not give as a failure of the remote', async () => {
  const agent = defineAgent({ name: 'asks' })
    .addResource('remote', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.getResource('remote', ResourceType.AGENT).submit('x'.repeat(5_000));
      ctx.sendEvent(OutputEvent(answer.result));
    });
  const { deployment, run } = testRuntime([agent], { subagents: { remote: scripted.completesAfter(0, 'y') } });
  let failures = 0;
  const get = deployment.payloads.get.bind(deployment.payloads);
  deployment.payloads.get = async (reference) => {
    failures += 1;
    if (failures <= 2) throw new Error('SlowDown');
    return get(reference);
  };
  const update = deployment.items.update.bind(deployment.items);
  const counted: unknown[] = [];
  deployment.items.update = async (key, change, condition) => {
    if (change.set?.pf !== undefined) counted.push(change.set.pf);
    return update(key, change, condition);
  };
  expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['y'] });
  expect(counted).toEqual([]);
  expect(deployment.polls.executions).toHaveLength(1);
});

it('loads a long prompt once for all probes of a round', async () => {
  const agent = defineAgent({ name: 'asks' })
    .addResource('remote', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 500 })
    .addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.getResource('remote', ResourceType.AGENT).submit('x'.repeat(5_000));
      ctx.sendEvent(OutputEvent(answer.result));
    });
  const { deployment, run, services } = testRuntime([agent], {
    subagents: { remote: scripted.completesAfter(30, 'y') },
  });
  let loads = 0;
  const get = deployment.payloads.get.bind(deployment.payloads);
  deployment.payloads.get = async (reference) => {
    loads += 1;
    return get(reference);
  };
  expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: ['y'] });
  expect(services.get('remote')?.jobs[0]?.probes).toBe(31);
  const rounds = deployment.polls.executions[0]?.round.round ?? 0;
  expect(rounds).toBe(2);
  expect(loads).toBe(rounds);
});
