import type { AcceptedBatch } from '../../../lib/runner/runtime.ts';
import type { CallEffect, Deployment } from './deployment.ts';
import { messageId } from './deployment.ts';
import type { ParkedCall } from './gated-process.ts';
import type { ProcessNode, Task } from './process-tree.ts';
import { Violation } from './violation.ts';
import { inserted, replacedAt, type World, without } from './world.ts';

/** What the scheduler may let happen next. */
export type Step =
  /** A new process begins, with its first port call. */
  | { readonly kind: 'deliver'; readonly task: Task; readonly extra: boolean; readonly crash: boolean }
  /** A parked call takes effect; with `crash` its process dies before it hears of it. */
  | { readonly kind: 'grant'; readonly process: number; readonly call: number; readonly crash: boolean }
  | { readonly kind: 'fire'; readonly process: number; readonly timer: number }
  /** Time passes the end of every lease; the sweeper wakes what is due. */
  | { readonly kind: 'pass-time' }
  /** Nothing is under way and what wakes are left are lost: the sweeper wakes what is due soon. */
  | { readonly kind: 'sweep' };

/** A call that took effect, for whoever checks it. */
export interface Grant {
  readonly process: ProcessNode;
  readonly call: ParkedCall;
  readonly effect: CallEffect;
}

export interface StepResult {
  readonly world: World;
  readonly grant?: Grant;
}

const CLOCK_STEP_MILLIS = 61_000;

/**
 * Everything that may happen in this state, but for a partial order reduction: a send that waits goes first. No other step reads what a send
 * writes, and a process that dies without sending has died after its effect before, so every other order leads to states that are met anyway.
 */
export function possibleSteps(deployment: Deployment, world: World): readonly Step[] {
  for (const process of world.processes) {
    const { parked } = deployment.processes.node(process);
    const [first] = parked;
    if (parked.length === 1 && first?.name.endsWith('.send')) return grants(world, process, first.number);
  }
  const steps: Step[] = [];
  const deliver = (task: Task, extra: boolean): void => {
    steps.push({ kind: 'deliver', task, extra, crash: false });
    if (world.left.crashes > 0) steps.push({ kind: 'deliver', task, extra, crash: true });
  };
  const isFull = world.processes.length >= deployment.scenario.maxProcesses;
  if (!isFull) for (const requests of deliverable(deployment, world)) deliver({ kind: 'accept', requests }, false);
  deployment.scenario.runIds.forEach((runId, run) => {
    if (isFull) return;
    if ((world.wakes[run] ?? 0) > 0) deliver({ kind: 'drive', runId }, false);
    else if (world.left.extraWakes > 0 && deployment.run(world, run)) deliver({ kind: 'drive', runId }, true);
  });
  world.processes.forEach((process, index) => {
    if (world.processes.indexOf(process) !== index) return;
    const { parked, timers } = deployment.processes.node(process);
    for (const { number } of parked) steps.push(...grants(world, process, number));
    for (const [timer, dueAt] of timers) if (dueAt <= world.now) steps.push({ kind: 'fire', process, timer });
  });
  const driven = world.processes.some((process) => deployment.processes.node(process).token !== undefined);
  if (driven && world.left.clockSteps > 0) steps.push({ kind: 'pass-time' });
  if (world.left.sweeps > 0 && world.processes.length === 0) steps.push({ kind: 'sweep' });
  return steps;
}

const grants = ({ left }: World, process: number, call: number): readonly Step[] => [
  { kind: 'grant', process, call, crash: false },
  ...(left.crashes > 0 ? [{ kind: 'grant', process, call, crash: true } as const] : []),
];

/** The first waiting request of each group that has none in flight; with crashes left also all of them in one batch. */
function deliverable(deployment: Deployment, world: World): readonly (readonly number[])[] {
  const { requests } = deployment.scenario;
  if (!world.requests.includes('waiting')) return [];
  const isOpen = (number: number): boolean =>
    requests[number]?.when?.((runId) => deployment.run(world, deployment.runNumber(runId))) ?? true;
  return deployment.groups.flatMap((members) => {
    if (members.some((number) => world.requests[number] === 'in-flight')) return [];
    const waiting = members.filter((number) => world.requests[number] === 'waiting');
    const closed = waiting.findIndex((number) => !isOpen(number));
    const open = closed < 0 ? waiting : waiting.slice(0, closed);
    const [first] = open;
    if (first === undefined) return [];
    return open.length > 1 && world.left.crashes > 0 ? [[first], open] : [[first]];
  });
}

/** Takes one step. `undefined`: it would be no step of its own. */
export function takeStep(
  deployment: Deployment,
  world: World,
  step: Step,
): StepResult | undefined | Promise<StepResult | undefined> {
  switch (step.kind) {
    case 'deliver':
      return takeDelivery(deployment, world, step);
    case 'grant':
      return takeGrant(deployment, world, deployment.processes.node(step.process), step.call, step.crash);
    case 'fire':
      return takeTimer(deployment, world, step);
    case 'pass-time':
      return passTime(deployment, world);
    case 'sweep':
      return sweep(deployment, world);
  }
}

async function takeDelivery(
  deployment: Deployment,
  world: World,
  { task, extra, crash }: Extract<Step, { kind: 'deliver' }>,
): Promise<StepResult | undefined> {
  const process = await deployment.processes.start(task, { now: world.now, driverNumber: 0 });
  const taken =
    task.kind === 'drive' ? takeWake(deployment, world, task.runId, extra) : takeRequests(world, task.requests);
  const [first] = process.parked;
  if (first === undefined) throw new Error('A function ended without any port call.');
  return takeGrant(
    deployment,
    { ...taken, processes: inserted(taken.processes, process.id) },
    process,
    first.number,
    crash,
  );
}

function takeWake(deployment: Deployment, world: World, runId: string, extra: boolean): World {
  if (extra) return { ...world, left: { ...world.left, extraWakes: world.left.extraWakes - 1 } };
  const run = deployment.runNumber(runId);
  return { ...world, wakes: replacedAt(world.wakes, run, (world.wakes[run] ?? 0) - 1) };
}

const takeRequests = (world: World, requests: readonly number[]): World => ({
  ...world,
  requests: world.requests.map((state, number) => (requests.includes(number) ? 'in-flight' : state)),
});

function takeGrant(
  deployment: Deployment,
  world: World,
  process: ProcessNode,
  number: number,
  crash: boolean,
): StepResult | undefined | Promise<StepResult | undefined> {
  const call = process.parked.find((parked) => parked.number === number);
  if (call === undefined) throw new Error(`Process ${process.id} has no parked call ${number}.`);
  const effect = deployment.effect(world, process, call);
  if (effect instanceof Promise)
    return effect.then((done) => afterEffect(deployment, world, { process, call, effect: done }, crash));
  return afterEffect(deployment, world, { process, call, effect }, crash);
}

function afterEffect(
  deployment: Deployment,
  world: World,
  grant: Grant,
  crash: boolean,
): StepResult | undefined | Promise<StepResult | undefined> {
  const { process, call, effect } = grant;
  // A process that dies after a read has died after its last effect before it.
  if (crash && !effect.changed) return undefined;
  const applied = applyEffect(world, effect);
  if (crash) return { world: crashed(deployment, applied, process), grant };
  const next = deployment.processes.answer(process, call.number, effect.answer, {
    now: world.now,
    driverNumber: freeDriverNumber(deployment, world, process),
  });
  if (next instanceof Promise)
    return next.then((node) => ({ world: moved(deployment, applied, process, node), grant }));
  return { world: moved(deployment, applied, process, next), grant };
}

function applyEffect(world: World, { written, woken, sent }: CallEffect): World {
  return {
    ...world,
    ...(written ? { items: replacedAt(world.items, written.place, written.item) } : {}),
    ...(woken === undefined ? {} : { wakes: replacedAt(world.wakes, woken, (world.wakes[woken] ?? 0) + 1) }),
    ...(sent ? { sent: sent.filter((each) => !world.sent.includes(each)).reduce(inserted, world.sent) } : {}),
  };
}

/** The smallest number that no other live driver of the same run has in its token. */
function freeDriverNumber(deployment: Deployment, world: World, { id, task }: ProcessNode): number {
  if (task.kind !== 'drive') return 0;
  const used = without(world.processes, id)
    .map((other) => deployment.processes.node(other))
    .filter((other) => other.task.kind === 'drive' && other.task.runId === task.runId)
    .map(({ driverNumber }) => driverNumber);
  let number = 0;
  while (used.includes(number)) number += 1;
  return number;
}

/** The process stands at its next node, or has ended. */
function moved(deployment: Deployment, world: World, from: ProcessNode, to: ProcessNode): World {
  const rest = without(world.processes, from.id);
  const observed = observe(deployment, world, to);
  if (to.ending === undefined) return { ...world, observed, processes: inserted(rest, to.id) };
  if (to.ending.kind === 'threw')
    throw new Violation(
      `a process threw: ${to.ending.error instanceof Error ? to.ending.error.stack : String(to.ending.error)}`,
    );
  return { ...world, observed, processes: rest, requests: answered(world, to) };
}

/** An accepted message is gone; one that failed comes back. */
function answered(world: World, { task, ending }: ProcessNode): World['requests'] {
  if (task.kind === 'drive' || ending?.kind !== 'returned') return world.requests;
  const failed = (ending.value as AcceptedBatch).failures.map((failure) => failure.messageId);
  return world.requests.map((state, number) => {
    if (!task.requests.includes(number)) return state;
    return failed.includes(messageId(number)) ? 'waiting' : 'done';
  });
}

function observe(deployment: Deployment, world: World, { task, observed }: ProcessNode): World['observed'] {
  if (task.kind !== 'drive' || observed.length === 0) return world.observed;
  const run = deployment.runNumber(task.runId);
  const longest = deployment.observations.value(world.observed[run] ?? 0);
  if (observed.some((what, at) => at < longest.length && longest[at] !== what))
    throw new Violation(`run ${task.runId} saw ${longest.join(', ')} first and ${observed.join(', ')} in a replay`);
  if (observed.length <= longest.length) return world.observed;
  return replacedAt(world.observed, run, deployment.observations.id(observed));
}

/**
 * The process is gone: its requests come back, its wake is lost (an extra wake stands for its return), and its lease ends at once.
 * While the lease would last, every wake of the run would be dropped: that is the same as a wake that comes later.
 */
function crashed(deployment: Deployment, world: World, { id, task, token }: ProcessNode): World {
  const left = { ...world.left, crashes: world.left.crashes - 1 };
  const dead: World = { ...world, processes: without(world.processes, id), left };
  if (task.kind === 'accept')
    return {
      ...dead,
      requests: dead.requests.map((state, number) => (task.requests.includes(number) ? 'waiting' : state)),
    };
  return token === undefined ? dead : { ...dead, items: endLease(deployment, dead, task.runId, token) };
}

function endLease(deployment: Deployment, world: World, runId: string, token: string): World['items'] {
  const place = deployment.runPlace(deployment.runNumber(runId));
  const item = deployment.table.item(world.items[place]);
  if (item === undefined || item.ow !== token || Number(item.lu) <= world.now) return world.items;
  return replacedAt(world.items, place, deployment.table.number({ ...item, lu: world.now }));
}

function takeTimer(
  deployment: Deployment,
  world: World,
  step: Extract<Step, { kind: 'fire' }>,
): StepResult | Promise<StepResult> {
  const process = deployment.processes.node(step.process);
  const next = deployment.processes.fire(process, step.timer, { now: world.now, driverNumber: 0 });
  const done = (node: ProcessNode): StepResult => ({ world: moved(deployment, world, process, node) });
  return next instanceof Promise ? next.then(done) : done(next);
}

async function passTime(deployment: Deployment, world: World): Promise<StepResult> {
  const left = { ...world.left, clockSteps: world.left.clockSteps - 1 };
  const later: World = { ...world, left, now: world.now + CLOCK_STEP_MILLIS };
  // What was due soon is due now.
  const due = await deployment.sweep(world);
  const wakes = later.wakes.map((count, run) => (due.includes(run) ? count + 1 : count));
  return { world: { ...later, wakes } };
}

async function sweep(deployment: Deployment, world: World): Promise<StepResult> {
  const due = await deployment.sweep(world);
  const left = { ...world.left, sweeps: world.left.sweeps - 1 };
  return { world: { ...world, left, wakes: world.wakes.map((_, run) => (due.includes(run) ? 1 : 0)) } };
}
