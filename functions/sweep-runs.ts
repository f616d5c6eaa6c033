import { sweepRuns } from '../lib/runner/sweep-runs.ts';
import { createSweepPorts } from './environment/aws-ports.ts';
import { parseAwsServices } from './environment/aws-services.ts';
import { parseSweepRunsEnv } from './environment/sweep-runs-env.ts';

const ports = createSweepPorts(parseSweepRunsEnv(process.env), parseAwsServices(process.env));

/** Wakes every run that is due. */
export async function handler(): Promise<void> {
  const { woken } = await sweepRuns(ports);
  if (woken > 0) console.info({ message: 'Due runs were woken.', woken });
}
