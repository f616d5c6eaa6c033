import { expect, it } from 'vitest';
import { compilePlans } from '../../../lib/agent/plan.ts';
import { JobService } from './support/job-service.ts';
import { askingAgent, simulate } from './support/simulation.ts';

it.each([0.5, 1_000 / 3, 1e300, 366 * 86_400_000])(
  'a time limit of %d ms is refused with its agent',
  (timeoutMillis) => {
    expect(() => compilePlans([askingAgent(new JobService(), { timeoutMillis })], {})).toThrow(
      expect.objectContaining({ code: 'INVALID_RESOURCE' }),
    );
  },
);

it.each([1, 365 * 86_400_000])('a time limit of %d ms ends a run one way or the other', async (timeoutMillis) => {
  const service = new JobService();
  expect(await simulate(askingAgent(service, { timeoutMillis }), service).run('asks', null)).toMatchObject({
    status: 'COMPLETED',
  });
});
