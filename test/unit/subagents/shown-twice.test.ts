import { EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { forEver } from './support/answers.ts';
import { cancelled, replayAll } from './support/cancellation.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, simulate } from './support/simulation.ts';

/** More of them: the run is driven again and again without coming on. */
const MAX_DRIVES = 12;

describe.each([[{}], [replayAll]])(
  'a call that is cancelled in the moment in which its time is up, with %j',
  (config) => {
    it('is answered once, and its action goes on', async () => {
      const service = new JobService({ status: forEver });
      const agent = agentWith(service, { statusPollIntervalMillis: 1_000, timeoutMillis: 5_000 }).addAction(
        'ask',
        EventType.InputEvent,
        async (_event, ctx) => {
          const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1);
          await ctx.sleep(5_000);
          handle.cancel();
          await cancelled(handle);
          await ctx.sleep(60_000);
          ctx.sendEvent(OutputEvent('went on'));
        },
      );
      const { deployment } = simulate(agent, service, config);
      deployment.send({ agent: 'asks', requestId: 'r', input: null });
      await deployment.settle(
        async () => deployment.drives.length > MAX_DRIVES || (await deployment.run('r'))?.status === 'COMPLETED',
      );
      expect((await deployment.run('r'))?.status).toBe('COMPLETED');
    });
  },
);
