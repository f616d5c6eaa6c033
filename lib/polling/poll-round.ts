import type { PlanSet } from '../agent/plan.ts';
import type { PollRound } from '../ports/poll-scheduler.ts';
import { openEntries, type PollEntry } from '../store/poll-records.ts';
import { PollStore } from '../store/poll-store.ts';
import type { PollPorts } from './poll-ports.ts';
import { dueAt, PROBE_MILLIS, probeAll } from './probe-all.ts';
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
  const prompts = new Map<string, Promise<string>>();
  let notBefore = round.notBefore;
  // Before its first round the machine waits whole seconds, and when the execution before this one probed last is not known.
  const restMillis = round.round === 0 ? intervalMillis - round.waitSeconds * SECOND_MILLIS : 0;
  await waitUntil(ports, Math.max(notBefore, ports.clock.now() + restMillis));
  for (;;) {
    const pass = await probeDue(options, round, prompts);
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
async function probeDue(
  options: PollOptions,
  round: PollRound,
  prompts: Map<string, Promise<string>>,
): Promise<PassResult> {
  const { plans, ports, deadline } = options;
  const { runId, ttl, intervalMillis, generation } = round;
  const store = new PollStore(ports.items, runId, ttl);
  const polls = await store.read(intervalMillis);
  const record = polls.records.get(intervalMillis);
  if (record === undefined || record.generation !== generation || record.closed !== undefined) return { kind: 'over' };
  const entries = openEntries(polls);
  const now = ports.clock.now();
  const run = { plans, ports, runId, ttl, prompts };
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

/** The limit of the run's agent: every call of a run is one of its agent's. */
function maxRounds(plans: PlanSet, entries: readonly PollEntry[]): number {
  const config = plans.configOf(entries[0]?.agent ?? '');
  return config['subagent.max-poll-rounds'];
}
