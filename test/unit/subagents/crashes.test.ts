import {
  type AgentDefinition,
  defineAgent,
  EventType,
  OutputEvent,
  ResourceType,
  SubagentCancelledError,
} from 'lambda-agents';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';

import { Remote } from './support/remote.ts';

const base = () =>
  defineAgent({ name: 'review' })
    .addResource('tests', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addResource('policy', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addResource('slow', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 5_000 })
    .addResource('limited', ResourceType.AGENT, {
      clazz: Remote,
      statusPollIntervalMillis: 5_000,
      timeoutMillis: 20_000,
    });

const programs: Readonly<Record<string, AgentDefinition>> = {
  'submit and await': base().addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const answer = await ctx.getResource('tests', ResourceType.AGENT).submit(event.input);
    ctx.sendEvent(OutputEvent(answer.success ? answer.result : answer.errorMessage));
  }),
  'two in parallel': base().addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const tests = ctx.getResource('tests', ResourceType.AGENT).submit(event.input);
    const policy = ctx.getResource('policy', ResourceType.AGENT).submit(event.input);
    const answers = await Promise.all([tests, policy]);
    ctx.sendEvent(OutputEvent(answers.map(({ result, errorMessage }) => result ?? errorMessage ?? null)));
  }),
  'a race with a cancelled loser': base().addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const tests = ctx.getResource('tests', ResourceType.AGENT).submit(event.input);
    const slow = ctx.getResource('slow', ResourceType.AGENT).submit(event.input);
    const first = await Promise.race([tests, slow]);
    ctx.sendEvent(OutputEvent(first.result));
  }),
  'a cancelled call': base().addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const slow = ctx.getResource('slow', ResourceType.AGENT).submit(event.input);
    const tests = await ctx.getResource('tests', ResourceType.AGENT).submit(event.input);
    slow.cancel();
    const cancelled = await slow.catch((error: unknown) => error instanceof SubagentCancelledError);
    ctx.sendEvent(OutputEvent([tests.result, cancelled]));
  }),
  'a time limit against a completion': base().addAction('ask', EventType.InputEvent, async (event, ctx) => {
    const answer = await ctx.getResource('limited', ResourceType.AGENT).submit(event.input);
    ctx.sendEvent(OutputEvent(answer.success ? answer.result : answer.errorMessage));
  }),
};

const subagents = {
  tests: scripted.completesAfter(2, 'green'),
  policy: scripted.failsAfter(1, 'forbidden'),
  slow: scripted.neverEnds(),
  limited: scripted.neverEnds(),
};

describe.each(Object.entries(programs))('%s', (_name, agent) => {
  it('is done without a crash', async () => {
    const runtime = testRuntime([agent], { subagents });
    const result = await runtime.run('review', { diff: 'x' });
    expect(result).toMatchObject({ status: 'COMPLETED' });
  });
  it.each([[undefined], [{ 'run.stay-millis': 0 } as const]])('survives every crash', async (config) => {
    const runtime = testRuntime([agent], { subagents, ...(config ? { config } : {}) });
    const report = await runtime.survivesEveryCrash('review', { diff: 'x' });
    console.log(report);
    expect(report.crashes).toBeGreaterThan(20);
  });
});
