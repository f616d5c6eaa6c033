import type { Item, ItemKey } from '../../../lib/ports/item-store.ts';
import type { OutputMessage } from '../../../lib/ports/queues.ts';
import { headKey, runIdOfPartition } from '../../../lib/store/keys.ts';
import { isFinal, type RunRecord } from '../../../lib/store/run-record.ts';
import type { Deployment } from './deployment.ts';
import type { ProcessNode } from './process-tree.ts';
import type { Grant } from './steps.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Checks one call that took effect. @throws Violation naming the rule of the store protocol that it breaks */
export function checkGrant(deployment: Deployment, before: World, after: World, { process, effect }: Grant): void {
  if (effect.sent) checkMessages(deployment, after);
  if (!effect.written) return;
  const { place } = effect.written;
  const key = deployment.table.places.value(place);
  const { sk } = key;
  const was = deployment.table.item(before.items[place]);
  const is = deployment.table.item(effect.written.item);
  if (sk === 'RUN') checkRun(deployment, after, process, before.items[place], effect.written.item);
  else if (sk === 'HEAD') checkHead(was, is);
  else if (sk.startsWith('MEM#')) checkMemory(deployment, after, was, is);
  else if (!sk.startsWith('INBOX#')) checkFact(deployment, after, key, was, is);
  if (sk === 'RUN' || sk === 'HEAD') checkActiveRuns(deployment, after);
}

const violated = (rule: string): never => {
  throw new Violation(rule);
};

function checkRun(
  deployment: Deployment,
  world: World,
  process: ProcessNode,
  was: number | undefined,
  is: number,
): void {
  const after = deployment.record(is);
  const before = deployment.record(was);
  if (after === undefined) return violated('a run was deleted');
  if (before === undefined) return;
  const { runId } = after;
  if (after.epoch < before.epoch) violated(`the epoch of ${runId} fell`);
  if (after.wakeCount < before.wakeCount) violated(`the wake count of ${runId} fell`);
  const redriven = after.redrives === before.redrives + 1 && before.status === 'FAILED';
  if (isFinal(before.status) && !redriven) violated(`${runId} was ${before.status} and changed to ${after.status}`);
  if (before.outcome !== undefined && before.outcome !== after.outcome && !redriven)
    violated(`the outcome of ${runId} changed from ${before.outcome} to ${after.outcome}`);
  if (after.outcome === 'COMPLETED' && after.cancelMark !== undefined)
    violated(`${runId} completed in spite of its cancel mark`);
  if (isFinal(after.status) && !isFinal(before.status)) checkFinish(process, after);
  if (before.epoch === 0 && after.status === 'RUNNING') checkStartOrder(deployment, world, after);
}

/** Whoever makes a run final has sent its status before. */
function checkFinish(process: ProcessNode, run: RunRecord): void {
  for (let node: ProcessNode | undefined = process; node; node = node.parent) {
    if (node.last?.call.name !== 'outputs.send') continue;
    const [messages] = node.last.call.args as [readonly OutputMessage[]];
    if (messages.some(({ body }) => isStatusOf(run, body))) return;
  }
  violated(`${run.runId} became ${run.status} before its status was sent`);
}

function isStatusOf(run: RunRecord, body: string): boolean {
  const message = JSON.parse(body) as { readonly requestId: string; readonly status?: string };
  return message.requestId === run.runId && message.status === run.status;
}

/** Inputs of one group and key start in the order of the group. */
function checkStartOrder(deployment: Deployment, world: World, started: RunRecord): void {
  const { requests, runIds } = deployment.scenario;
  const requestOf = (runId: string) =>
    requests.find(({ body }) => (body as { requestId?: string }).requestId === runId);
  const group = requestOf(started.runId)?.group;
  for (const [number, runId] of runIds.entries()) {
    if (runId === started.runId) return;
    const earlier = deployment.run(world, number);
    if (requestOf(runId)?.group === group && (earlier === undefined || earlier.epoch === 0))
      violated(`${started.runId} started before ${runId}, which was sent earlier in the same group`);
  }
}

function checkHead(was: Item | undefined, is: Item | undefined): void {
  if (is === undefined) return violated('the head of a key was deleted');
  if (was === undefined) return;
  if (Number(is.vn) <= Number(was.vn)) violated('the version of a key did not rise with a write');
  if (Number(is.tn) < Number(was.tn)) violated('the turn of a key fell');
  if (is.ac !== undefined && is.ac !== was.ac && Number(is.tn) === Number(was.tn))
    violated('a key was given to another run under the same turn');
}

/** A run that is driven or blocked holds its key, and no final run does. */
function checkActiveRuns(deployment: Deployment, world: World): void {
  deployment.scenario.runIds.forEach((runId, number) => {
    const run = deployment.run(world, number);
    if (run?.key === undefined) return;
    const active = headOf(deployment, world, run)?.ac;
    if ((run.status === 'RUNNING' || run.status === 'BLOCKED') && active !== runId)
      violated(`${runId} is ${run.status}, but its key is held by ${active ?? 'nobody'}`);
    if (isFinal(run.status) && active === runId) violated(`${runId} is ${run.status} and still holds its key`);
  });
}

export const headOf = (deployment: Deployment, world: World, run: RunRecord): Item | undefined =>
  deployment.table.item(world.items[deployment.table.place(headKey(run.agent, run.key ?? ''))]);

/** Memory is written by the end of the run that holds the key, and never goes back. */
function checkMemory(deployment: Deployment, world: World, was: Item | undefined, is: Item | undefined): void {
  if (is === undefined) return violated('a memory field was deleted');
  if (was !== undefined && Number(is.tn) < Number(was.tn)) violated('memory went back to an older turn');
  if (is.val === was?.val) return;
  const writer = deployment.scenario.runIds
    .map((_, number) => deployment.run(world, number))
    .find((run) => run?.turn === is.tn && run?.status === 'COMPLETING');
  const head = writer && headOf(deployment, world, writer);
  if (writer === undefined || head?.ac !== writer.runId || head.tn !== is.tn)
    violated(`memory changed to ${is.val} under turn ${is.tn} while another run held the key`);
}

/** Recorded outcomes and finished actions never change; only a redrive drops failed calls. */
function checkFact(
  deployment: Deployment,
  world: World,
  place: ItemKey,
  was: Item | undefined,
  is: Item | undefined,
): void {
  if (was === undefined || was.st === 'PENDING') return;
  const runId = runIdOfPartition(place.pk);
  const run = deployment.run(world, deployment.runNumber(runId));
  const isRedriven = run !== undefined && (run.status === 'FAILED' || run.redrives > 0);
  if (is === undefined || was.st !== 'FAILED' || !isRedriven)
    violated(`${place.sk} of ${runId} was recorded and changed`);
}

/** Messages with one id have one content. */
function checkMessages(deployment: Deployment, world: World): void {
  const bodies = new Map<string, string>();
  for (const number of world.sent) {
    const { deduplicationId, body } = deployment.outputs.value(number);
    const other = bodies.get(deduplicationId);
    if (other !== undefined && other !== body) violated(`two messages with one id differ: ${other} and ${body}`);
    bodies.set(deduplicationId, body);
  }
}
