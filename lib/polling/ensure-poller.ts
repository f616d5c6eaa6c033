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

/**
 * P2 to P4: sees to it that the calls of a run with one interval are polled. Starting an execution is itself the test whether it lives.
 * @param known the poller's record, when no call was added since; else the poller is told that there are more
 */
export async function ensurePoller(
  ports: EnsurePorts,
  of: Omit<Poller, 'generation'>,
  known?: PollRecord,
): Promise<EnsureResult> {
  const store = new PollStore(ports.items, of.runId, of.ttl);
  let record = known;
  for (let foundDead = false; ; ) {
    record ??= await generationOf(store, of.intervalMillis);
    const { generation } = record;
    if (record.on === 1 && (await ports.polls.start({ ...of, generation })) === 'polling')
      return { kind: 'polling', foundDead };
    const dead = record.on === 1 ? deadAfter(record) : 0;
    if (dead >= MAX_DEAD_GENERATIONS) {
      const now = await store.get(of.intervalMillis);
      if (now?.generation === generation && deadAfter(now) >= MAX_DEAD_GENERATIONS) return { kind: 'given-up' };
      record = now;
      continue;
    }
    foundDead ||= dead > 0;
    const raised = await store.raise(of.intervalMillis, record, record.on === 1);
    record = raised.kind === 'written' ? raised.record : undefined;
  }
}

/** The generation that is to poll, told that there are more calls; the first one if there is none. */
async function generationOf(store: PollStore, intervalMillis: number): Promise<PollRecord> {
  const joined = await store.join(intervalMillis);
  if (joined.kind === 'written') return joined.record;
  if (joined.record) return joined.record;
  const first = await store.raise(intervalMillis, undefined, false);
  return first.kind === 'written' ? first.record : generationOf(store, intervalMillis);
}
