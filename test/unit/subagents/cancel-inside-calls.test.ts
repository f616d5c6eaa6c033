import { EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { runsFor } from './support/answers.ts';
import { replayAll } from './support/cancellation.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, simulate } from './support/simulation.ts';

describe.each([[{}], [replayAll]])('cancel() inside a durable call, with %j', (config) => {
  it('is refused: a replay makes no call again, and would wait for what it never cancels', async () => {
    const service = new JobService({ status: runsFor(3) });
    const agent = agentWith(service, { statusPollIntervalMillis: 1_000 }).addAction(
      'ask',
      EventType.InputEvent,
      async (_event, ctx) => {
        const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1);
        const code = await ctx
          .durableExecute({ id: 'cancels', call: () => handle.cancel() })
          .catch((error: { code?: unknown }) => error.code);
        await ctx.sleep(1_500);
        ctx.sendEvent(OutputEvent([code, handle.isCancelled, (await handle).result]));
      },
    );
    expect(await simulate(agent, service, config).run('asks', null)).toMatchObject({
      status: 'COMPLETED',
      outputs: [['CALL_OUTSIDE_ACTION', false, 'done']],
    });
    expect(service.count('cancel')).toBe(0);
  });
});
