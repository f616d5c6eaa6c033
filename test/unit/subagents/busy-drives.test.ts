import { defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { Remote } from './support/remote.ts';

const base = defineAgent({ name: 'asks' })
  .addResource('remote', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
  .addResource('hasty', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 500, timeoutMillis: 1_800 });

describe('a remote job', () => {
  it('is followed although its time limit is shorter than what a drive would stay for', async () => {
    const agent = base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.getResource('hasty', ResourceType.AGENT).submit(null);
      ctx.sendEvent(OutputEvent(answer.result ?? answer.errorMessage ?? null));
    });
    const quick = testRuntime([agent], { subagents: { hasty: scripted.completesAfter(1, 'done') } });
    expect(await quick.run('asks', null)).toMatchObject({ outputs: ['done'] });
  });

  it('is followed beside short sleeps in a loop', async () => {
    const agent = base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = ctx.getResource('remote', ResourceType.AGENT).submit(null);
      for (let second = 1; ; second += 1) {
        const first = await Promise.race([answer, ctx.sleep(1_000, { id: `second ${second}` })]);
        if (first) return ctx.sendEvent(OutputEvent([first.result ?? null, second < 10]));
      }
    });
    const { run } = testRuntime([agent], { subagents: { remote: scripted.completesAfter(2, 'done') } });
    expect(await run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [['done', true]] });
  });

  it('is followed while a durable call keeps the drive busy', async () => {
    const runtime = testRuntime(
      [
        base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
          const answer = ctx.getResource('remote', ResourceType.AGENT).submit(null);
          let calls = 0;
          const busy = ctx.durableExecute({
            id: 'slow',
            // Two short waits between its attempts: five seconds of work.
            retry: { maxAttempts: 6, initialMillis: 1_000, maxMillis: 1_000 },
            call: () => {
              calls += 1;
              if (calls < 6) throw new Error('not yet');
              return runtime.deployment.polls.executions.length;
            },
          });
          const followed = await busy;
          ctx.sendEvent(OutputEvent([followed, (await answer).result]));
        }),
      ],
      { subagents: { remote: scripted.completesAfter(1, 'done') } },
    );
    expect(await runtime.run('asks', null)).toMatchObject({ status: 'COMPLETED', outputs: [[1, 'done']] });
    expect(runtime.deployment.polls.executions).toHaveLength(1);
  });
});
