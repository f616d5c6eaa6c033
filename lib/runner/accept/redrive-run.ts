import type { PlanSet } from '../../agent/plan.ts';
import type { Journal } from '../../store/journal.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { PollStore } from '../../store/poll-store.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { RunStore, type RunWriteResult } from '../../store/run-store.ts';
import { dueShard } from '../due-index.ts';
import { endOfAge } from '../retention.ts';
import type { StorePorts } from '../runner-ports.ts';

export type RedriveResult =
  | { readonly kind: 'redriven'; readonly runId: string }
  | { readonly kind: 'nothing-to-do'; readonly runId: string; readonly why: string };

/**
 * Lets a BLOCKED run go on, or a FAILED one begin a new life over its journal: failed calls of unfinished actions run again,
 * every recorded success stays. May be repeated.
 */
export async function redriveRun(plans: PlanSet, ports: StorePorts, runId: string): Promise<RedriveResult> {
  const runs = new RunStore(ports.items);
  const run = await runs.get(runId);
  const now = ports.clock.now();
  if (run === undefined) return nothing(runId, 'there is no such run');
  switch (run.status) {
    case 'BLOCKED':
      await clearFaults(ports, run, (await journalOf(ports, run)).journal);
      return wakeRedriven(await runs.unblock(runId, now), ports, run);
    case 'FAILED': {
      const config = plans.configOf(run.agent);
      if (now >= endOfAge(run.createdAt, config)) return nothing(runId, 'it is older than "run.max-age-days"');
      await dropFailures(ports, run);
      return wakeRedriven(await runs.revive(run, dueShard(runId), now), ports, run);
    }
    default:
      return nothing(runId, `the run is ${run.status}: only FAILED and BLOCKED ones can be redriven`);
  }
}

const nothing = (runId: string, why: string): RedriveResult => ({ kind: 'nothing-to-do', runId, why });

async function wakeRedriven(
  result: RunWriteResult,
  ports: StorePorts,
  { runId, epoch }: RunRecord,
): Promise<RedriveResult> {
  // One epoch later it was redriven and not driven yet: by us, whose request the client repeated, or by somebody else.
  const isRedriven = result.kind === 'written' || result.run?.epoch === epoch + 1;
  if (!isRedriven) return nothing(runId, 'somebody else has just redriven it');
  await ports.wakes.send({ runId, reason: 'redrive' });
  return { kind: 'redriven', runId };
}

const journalOf = (ports: StorePorts, { runId, ttl }: RunRecord) => new JournalStore(ports.items, runId, ttl).read();

/** Failed calls, and the marks of calls that nobody could follow. */
async function dropFailures(ports: StorePorts, run: RunRecord): Promise<void> {
  const { journal } = await journalOf(ports, run);
  await clearFaults(ports, run, journal);
  const store = new JournalStore(ports.items, run.runId, run.ttl);
  const polls = new PollStore(ports.items, run.runId, run.ttl);
  for (const call of journal.calls.values()) {
    if (call.status !== 'FAILED' || journal.actions.has(call.actionId)) continue;
    // Its ordinal is given again, and whoever should have removed the entry may have died.
    const entry = journal.polls.entries.get(call.ordinal);
    if (entry) await polls.deleteEntry(entry);
    await store.dropFailedCall(call);
  }
}

/** Calls that nobody could follow any more are followed again. */
async function clearFaults(ports: StorePorts, run: RunRecord, { calls, polls }: Journal): Promise<void> {
  const store = new JournalStore(ports.items, run.runId, run.ttl);
  const pollStore = new PollStore(ports.items, run.runId, run.ttl);
  for (const entry of polls.entries.values()) {
    if (entry.failures === undefined && entry.faulted === undefined) continue;
    await pollStore.updateEntry(entry, { failures: undefined, nextAt: undefined, faulted: undefined });
  }
  for (const call of calls.values()) if (call.fault !== undefined) await store.clearFault(call);
}
