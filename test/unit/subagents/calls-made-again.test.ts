import { SubagentResult } from 'lambda-agents';
import { expect, it } from 'vitest';
import { CrashPlan, type CrashPoint } from '../../../lib/testing/crashing-process.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { forEver } from './support/answers.ts';
import { JobService } from './support/job-service.ts';
import { askingAgent, endOf, entriesIn, outputsOf, redriveToEnd } from './support/simulation.ts';

/** Whoever is about to remove the record of a call dies, until it is mended. */
class DeadlyRemovals extends CrashPlan {
  mended = false;
  override next(name: string): CrashPoint['when'] | undefined {
    return name === 'items.delete' && !this.mended ? 'before' : super.next(name);
  }
}

it('a call that redrive makes again is followed under its own token, whatever was left of it', async () => {
  const service = new JobService({ fetch: () => SubagentResult.ok(() => 1) });
  const crashes = new DeadlyRemovals([]);
  const deployment = new SimulatedDeployment({
    agents: [askingAgent(service, { statusPollIntervalMillis: 1_000 })],
    crashes,
  });
  service.useClock(deployment.clock);
  deployment.send({ agent: 'asks', requestId: 'r', input: null });
  expect((await endOf(deployment, 'r')).status).toBe('FAILED');
  expect(entriesIn(deployment)).toHaveLength(1);
  crashes.mended = true;
  const tokens = new Set<string>();
  service.log.length = 0;
  service.answers = {
    status: (call, nth) => {
      tokens.add(call.completion.token);
      if (nth === 3) {
        const { completion } = service.log[0]?.call ?? call;
        deployment.send({ signal: { ...completion, value: { result: 'by message' } } }, 'remote');
      }
      return forEver(call, nth);
    },
  };
  expect((await redriveToEnd(deployment, 'r')).status).toBe('COMPLETED');
  expect(outputsOf(deployment, 'r')).toEqual([['by message']]);
  expect([...tokens]).toEqual([service.log[0]?.call.completion.token]);
});
