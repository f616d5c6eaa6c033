import type { ItemStore } from '../ports/item-store.ts';
import { dueShards, failedShards } from '../runner/due-index.ts';
import { runIdOfPartition } from '../store/keys.ts';
import { isFinal, type RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';

export type RunFilter = 'failed' | 'blocked' | 'unfinished';

export interface RunList {
  /** Newest first. */
  readonly runs: readonly RunRecord[];
  /** Whether more would have matched. */
  readonly isCut: boolean;
}

/** Records read at once. */
const PARALLEL_READS = 20;
/** Keys read of one index partition: each is about 100 bytes. */
const MAX_PER_SHARD = 1_000_000;

const MATCHES: Readonly<Record<RunFilter, (run: RunRecord) => boolean>> = {
  failed: ({ status }) => status === 'FAILED',
  blocked: ({ status }) => status === 'BLOCKED',
  unfinished: ({ status }) => !isFinal(status),
};

/** Runs that the index holds and that match one of the filters, at most `limit`. The index says where to look, the record what is. */
export async function listRuns(items: ItemStore, filters: readonly RunFilter[], limit: number): Promise<RunList> {
  const shards = [
    ...(filters.some((filter) => filter !== 'failed') ? dueShards() : []),
    ...(filters.includes('failed') ? failedShards() : []),
  ];
  const entries = await Promise.all(
    shards.map((shard) => items.queryDue({ shard, until: Number.MAX_SAFE_INTEGER, limit: MAX_PER_SHARD })),
  );
  // Latest due first: among FAILED runs the newest, among the others those that nobody will look at by himself.
  const runIds = entries
    .flat()
    .toSorted((a, b) => b.dueAt - a.dueAt)
    .map(({ pk }) => runIdOfPartition(pk));
  const store = new RunStore(items);
  const found: RunRecord[] = [];
  const matches = (run: RunRecord | undefined): run is RunRecord =>
    run !== undefined && filters.some((filter) => MATCHES[filter](run));
  for (let start = 0; start < runIds.length && found.length <= limit; start += PARALLEL_READS) {
    const read = await Promise.all(runIds.slice(start, start + PARALLEL_READS).map((runId) => store.get(runId)));
    found.push(...read.filter(matches));
  }
  const runs = found.slice(0, limit).toSorted((a, b) => b.createdAt - a.createdAt);
  return { runs, isCut: found.length > limit };
}
