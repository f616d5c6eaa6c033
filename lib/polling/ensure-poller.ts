import type { Poller, PollScheduler } from '../ports/poll-scheduler.ts';
import type { PollRecord } from '../store/poll-records.ts';
import { deadAfter, PollStore } from '../store/poll-store.ts';
import type { PollPorts } from './poll-ports.ts';

/** Dead generations in a row after which no more are started. */
export const MAX_DEAD_GENERATIONS = 3;

export type EnsureResult =
  /** An execution polls. `foundDead`: the one before had ended without a word. */
  | { readonly kind: 'polling'; readonly foundDead: boolean }
  /** So many generations in a row died that another would not help. */
  | { readonly kind: 'given-up' };

export interface EnsurePorts extends Pick<PollPorts, 'items'> {
  readonly polls: PollScheduler;
}

/** A poller that is to live while its run waits. */
export interface NeededPoller {
  readonly intervalMillis: number;
  /** Its record as it was read. */
  readonly known: PollRecord | undefined;
  /** Calls were added that it was not told of. */
  readonly added: boolean;
}

/**
 * P2 to P4: sees to it that the calls of a run with one interval are polled. Starting an execution is itself the test whether it lives.
 * @param run whose calls they are
 */
export async function ensurePoller(
  ports: EnsurePorts,
  run: Pick<Poller, 'runId' | 'ttl'>,
  { intervalMillis, known, added }: NeededPoller,
): Promise<EnsureResult> {
  const store = new PollStore(ports.items, run.runId, run.ttl);
  let record = known === undefined || added ? await tellPoller(store, intervalMillis, known) : known;
  for (let foundDead = false; ; ) {
    const { generation } = record;
    if (record.on === 1 && (await ports.polls.start({ ...run, intervalMillis, generation })) === 'polling')
      return { kind: 'polling', foundDead };
    const dead = record.on === 1 ? deadAfter(record) : 0;
    if (dead >= MAX_DEAD_GENERATIONS) {
      const standing = await store.get(intervalMillis);
      if (standing?.generation === generation && deadAfter(standing) >= MAX_DEAD_GENERATIONS)
        return { kind: 'given-up' };
      record = standing ?? (await tellPoller(store, intervalMillis, undefined));
      continue;
    }
    foundDead ||= dead > 0;
    const raised = await store.raise(intervalMillis, record, record.on === 1);
    record = raised.kind === 'written' ? raised.record : await tellPoller(store, intervalMillis, raised.record);
  }
}

/** The poller's record once it knows that there are more calls; the first one if there is none. One that is off is as it was seen. */
async function tellPoller(store: PollStore, intervalMillis: number, seen: PollRecord | undefined): Promise<PollRecord> {
  if (seen !== undefined && seen.on !== 1) return seen;
  const told = seen ? await store.join(intervalMillis) : await store.raise(intervalMillis, undefined, false);
  return told.kind === 'written' ? told.record : tellPoller(store, intervalMillis, told.record);
}
