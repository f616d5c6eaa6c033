import { AgentError } from '../errors/agent-error.ts';
import type { RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';
import type { Deployment } from './deployment.ts';

/** The record of a run. @throws AgentError `UNKNOWN_RUN` */
export async function findRun(deployment: Deployment, runId: string): Promise<RunRecord> {
  const run = await new RunStore(deployment.items).get(runId);
  if (run === undefined) throw unknownRun(deployment, runId);
  return run;
}

/** A request without a run: not accepted yet, refused, or never sent. */
export const unknownRun = ({ name }: Pick<Deployment, 'name'>, runId: string): AgentError =>
  new AgentError(
    'UNKNOWN_RUN',
    `There is no run ${JSON.stringify(runId)} in ${name}. Check the id; if it was only just sent, try again, and if it was refused, its dead-letter queue says why.`,
  );
