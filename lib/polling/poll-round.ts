import type { PlanSet } from '../agent/plan.ts';
import type { PollRound } from '../ports/poll-scheduler.ts';
import { openEntries, type PollEntry } from '../store/poll-records.ts';
import { PollStore } from '../store/poll-store.ts';
import { HOOK_MILLIS, SUBMIT_MILLIS } from './hook-limits.ts';
import type { PolledRun, PollPorts } from './poll-ports.ts';
import { probeCall } from './probe-call.ts';
import { tellRun } from './tell-run.ts';

export interface PollOptions {
  readonly plans: PlanSet;
  readonly ports: PollPorts;
  /** End of the invocation, milliseconds since 1970. */
  readonly deadline: number;
}

/** Step Functions waits whole seconds: shorter intervals are kept inside an invocation, for so long. */
const BURST_MILLIS = 10_000;
const SECOND_MILLIS = 1_000;
/** Probes at once. */
const PARALLEL_PROBES = 20;
/** A probe may have to ask, and to fetch or to submit again. */
const PROBE_MILLIS = HOOK_MILLIS + SUBMIT_MILLIS + SECOND_MILLIS;

/** What one pass over the calls found. */
type PassResult =
  | { readonly kind: 'over' }
  /** `probedAt`: when the last probe of the pass began; `nextAt`: when the next one may. */
  | { readonly kind: 'open'; readonly probedAt: number | undefined; readonly nextAt: number };

/** One round of an execution: waits for the rest of the interval, and probes what is due. Below a second it probes for ten. */
export async function pollRound(options: PollOptions, round: PollRound): Promise<PollRound> {
  const { ports } = options;
  const { intervalMillis } = round;
  const isBurst = intervalMillis < SECOND_MILLIS;
  const waitSeconds = isBurst ? 1 : Math.floor(intervalMillis / SECOND_MILLIS);
  // What is due within a second is worth waiting for: the rest of an interval, and clocks that differ a little.
  const burstEnd = ports.clock.now() + (isBurst ? BURST_MILLIS : SECOND_MILLIS);
  let notBefore = round.notBefore;
  // Before its first round the machine waits whole seconds, and when the execution before this one probed last is not known.
  const restMillis = round.round === 0 ? intervalMillis - round.waitSeconds * SECOND_MILLIS : 0;
  await waitUntil(ports, Math.max(notBefore, ports.clock.now() + restMillis));
  for (;;) {
    const pass = await probeDue(options, round);
    if (pass.kind === 'over') return { ...round, round: round.round + 1, done: true };
    if (pass.probedAt !== undefined) notBefore = pass.probedAt + intervalMillis;
    const nextAt = Math.max(pass.nextAt, notBefore);
    if (nextAt >= burstEnd || options.deadline - nextAt < PROBE_MILLIS) break;
    await waitUntil(ports, nextAt);
  }
  return { ...round, round: round.round + 1, notBefore, waitSeconds };
}

async function waitUntil({ clock }: PollPorts, time: number): Promise<void> {
  const millis = time - clock.now();
  if (millis <= 0) return;
  await new Promise<void>((resolve) => void clock.after(millis, resolve, 'wait'));
}

/** R1 to R4. */
async function probeDue(options: PollOptions, round: PollRound): Promise<PassResult> {
  const { plans, ports, deadline } = options;
  const { runId, ttl, intervalMillis, generation } = round;
  const store = new PollStore(ports.items, runId, ttl);
  const polls = await store.read(intervalMillis);
  const record = polls.records.get(intervalMillis);
  if (record === undefined || record.generation !== generation || record.closed !== undefined) return { kind: 'over' };
  const entries = openEntries(polls);
  const now = ports.clock.now();
  const run = { plans, ports, runId, ttl };
  const due = entries.filter((entry) => dueAt(entry) <= now);
  const probed = await probeAll(run, due, deadline);
  if (probed.ended === entries.length) {
    if ((await store.endIdle(record)).kind === 'written') return { kind: 'over' };
    // Somebody has added a call meanwhile.
    return { kind: 'open', probedAt: probed.lastAt, nextAt: ports.clock.now() };
  }
  if (round.round + 1 >= maxRounds(plans, entries)) {
    await store.endSpent(record);
    // A run that is about to suspend, and counts on this poller, looks again.
    await tellRun(ports, runId, 'due');
    return { kind: 'over' };
  }
  const next = Math.min(...entries.filter((entry) => dueAt(entry) > now).map(dueAt), now + intervalMillis);
  return { kind: 'open', probedAt: probed.lastAt, nextAt: next };
}

/** When a call may be probed for the first time, or again after a failure. */
export const dueAt = ({ startedAt, intervalMillis, nextAt = 0 }: PollEntry): number =>
  Math.max(startedAt + intervalMillis, nextAt);

/** Those that failed before come last: they may hang, and must not keep the time from the others. */
async function probeAll(
  run: PolledRun,
  due: readonly PollEntry[],
  deadline: number,
): Promise<{ readonly ended: number; readonly lastAt: number | undefined }> {
  const { clock } = run.ports;
  const waiting = due.toSorted((a, b) => (a.failures ?? 0) - (b.failures ?? 0));
  let ended = 0;
  let lastAt: number | undefined;
  const probeNext = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      if (deadline - clock.now() < PROBE_MILLIS) return;
      lastAt = clock.now();
      if ((await probeCall(run, entry)) === 'ended') ended += 1;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_PROBES }, probeNext));
  return { ended, lastAt };
}

/** The limit of the run's agent: every call of a run is one of its agent's. */
function maxRounds(plans: PlanSet, entries: readonly PollEntry[]): number {
  const config = plans.configOf(entries[0]?.agent ?? '');
  return config['subagent.max-poll-rounds'];
}
