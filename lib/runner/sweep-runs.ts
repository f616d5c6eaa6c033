import type { Clock } from '../ports/clock.ts';
import type { DueEntry, ItemStore } from '../ports/item-store.ts';
import type { WakeQueue } from '../ports/queues.ts';
import { runIdOfPartition } from '../store/keys.ts';
import { dueShards } from './due-index.ts';

/** Runs looked at per shard and sweep. */
const MAX_PER_SHARD = 5_000;
/** Wakes sent at once. */
const PARALLEL_SENDS = 20;
const MINUTE_MILLIS = 60_000;
/** From so many minutes on, a run that stays due is woken once in as many. */
const LONGEST_PAUSE_MINUTES = 15;

export interface SweepPorts {
  readonly items: ItemStore;
  readonly wakes: WakeQueue;
  readonly clock: Clock;
}

/**
 * Wakes the runs that are due. The index only says where to look: the woken run decides for itself. Meant for once a minute.
 * @throws the first error of a send, after all others were tried
 */
export async function sweepRuns(ports: SweepPorts): Promise<{ readonly woken: number }> {
  const now = ports.clock.now();
  const due = (shard: string) => ports.items.queryDue({ shard, until: now, limit: MAX_PER_SHARD });
  const found = (await Promise.all(dueShards().map(due))).flat();
  const runIds = found.filter((entry) => isToBeWoken(entry, now)).map(({ pk }) => runIdOfPartition(pk));
  const failures: unknown[] = [];
  for (let start = 0; start < runIds.length; start += PARALLEL_SENDS) {
    const batch = runIds.slice(start, start + PARALLEL_SENDS);
    const sent = await Promise.allSettled(batch.map((runId) => ports.wakes.send({ runId, reason: 'due' })));
    failures.push(...sent.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])));
  }
  if (failures.length > 0) throw failures[0];
  return { woken: runIds.length };
}

/**
 * A run that stays due has a wake under way already, or many wait before it: it is woken again after 1, 3 and 7 minutes and then
 * every 15, so that a slow run-agent is not buried in wakes.
 */
function isToBeWoken({ dueAt }: DueEntry, now: number): boolean {
  const minutes = Math.floor((now - dueAt) / MINUTE_MILLIS);
  if (minutes < LONGEST_PAUSE_MINUTES) return [0, 1, 3, 7].includes(minutes);
  return minutes % LONGEST_PAUSE_MINUTES === 0;
}
