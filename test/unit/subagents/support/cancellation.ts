import { SubagentCancelledError, type SubagentFuture } from 'lambda-agents';
import type { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';
import { runsFor } from './answers.ts';
import { JobService } from './job-service.ts';

/** Each drive ends at its first wait, so that everything is replayed. */
export const replayAll = { 'run.stay-millis': 0 } as const;

/** Jobs that take as many probes as their prompt says. */
export const byPrompt = () => new JobService({ status: (call, nth) => runsFor(Number(call.prompt))(call, nth) });

/** The result, or what says that the call was cancelled. */
export const cancelled = (handle: SubagentFuture): Promise<unknown> =>
  handle.then(
    ({ result }) => result,
    (error: unknown) => error instanceof SubagentCancelledError && `${error.name} ${error.code}`,
  );

export const CANCELLED = 'SubagentCancelledError SUBAGENT_CANCELLED';

export const countOf = (service: JobService, hook: 'cancel' | 'status', prompt: unknown): number =>
  service.log.filter((entry) => entry.hook === hook && entry.call.prompt === prompt).length;

export const failedCancellations = ({ traces }: SimulatedDeployment) =>
  traces.filter((record) => record.problem_category === 'subagent_cancel_failed');
