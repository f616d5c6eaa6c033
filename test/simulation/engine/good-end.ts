import { isFinal } from '../../../lib/store/run-record.ts';
import type { Deployment } from './deployment.ts';
import { headOf } from './invariants.ts';
import type { World } from './world.ts';

/** What is wrong with a state in which nothing is left to be done; `undefined`: nothing. */
export function badEnd(deployment: Deployment, world: World): string | undefined {
  const open = world.requests.findIndex((state) => state !== 'done');
  if (open >= 0) return `request ${open} was never taken`;
  let statuses = 0;
  for (const [number, runId] of deployment.scenario.runIds.entries()) {
    const run = deployment.run(world, number);
    if (run === undefined) return `run ${runId} was never recorded`;
    if (!isFinal(run.status)) return `run ${runId} stays ${run.status}`;
    if (run.cancelMark !== undefined && run.status !== 'CANCELLED')
      return `run ${runId} was cancelled and is ${run.status}`;
    if (run.key !== undefined && headOf(deployment, world, run)?.ac !== undefined)
      return `the key of ${runId} is still held`;
    statuses += run.redrives + 1;
  }
  const sent = world.sent.map((message) => JSON.parse(deployment.outputs.value(message).body) as { status?: string });
  const found = sent.filter(({ status }) => status !== undefined).length;
  return found === statuses ? undefined : `${found} statuses were sent for ${statuses} lives of runs`;
}
