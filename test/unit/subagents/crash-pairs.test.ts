import { defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { expect, it } from 'vitest';
import { Remote } from './support/remote.ts';

const base = defineAgent({ name: 'asks' })
  .addResource('quick', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
  .addResource('endless', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 5_000 });
const agents = {
  'submit and await': base.addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const answer = await ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
    ctx.sendEvent(OutputEvent(answer.result));
  }),
  'a race with a cancelled loser': base.addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const endless = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
    const quick = ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
    ctx.sendEvent(OutputEvent((await Promise.race([endless, quick])).result));
  }),
};
const subagents = { quick: scripted.completesAfter(0, 'green'), endless: scripted.neverEnds() };

it.each(Object.entries(agents))('survives every two crashes: %s', async (name, agent) => {
  const report = await testRuntime([agent], { subagents }).survivesEveryCrash('asks', 1, { pairs: true });
  console.info(`${name}: ${report.portCalls} port calls, ${report.pairs} pairs`);
  expect(report.pairs).toBeGreaterThan(1_000);
});
