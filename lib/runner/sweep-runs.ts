import type { Clock } from '../ports/clock.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { WakeQueue } from '../ports/queues.ts';
import { runIdOfPartition } from '../store/keys.ts';
import { dueShards } from './due-index.ts';

/** Runs woken per shard and sweep; what is left is due a minute later still. */
const MAX_PER_SHARD = 500;
/** Wakes sent at once. */
const PARALLEL_SENDS = 20;

export interface SweepPorts {
  readonly items: ItemStore;
  readonly wakes: WakeQueue;
  readonly clock: Clock;
}

/** Wakes every run that is due. The index only says where to look: the woken run decides for itself. */
export async function sweepRuns(ports: SweepPorts): Promise<{ readonly woken: number }> {
  const until = ports.clock.now();
  const found = await Promise.all(
    dueShards().map((shard) => ports.items.queryDue({ shard, until, limit: MAX_PER_SHARD })),
  );
  const runIds = found.flat().map(({ pk }) => runIdOfPartition(pk));
  for (let start = 0; start < runIds.length; start += PARALLEL_SENDS) {
    const batch = runIds.slice(start, start + PARALLEL_SENDS);
    await Promise.all(batch.map((runId) => ports.wakes.send({ runId, reason: 'due' })));
  }
  return { woken: runIds.length };
}
