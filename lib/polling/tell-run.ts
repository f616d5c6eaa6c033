import type { Clock } from '../ports/clock.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { WakeQueue, WakeReason } from '../ports/queues.ts';
import { isFinal, type RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';

/** How soon somebody looks at a run whose wake was lost. */
const DUE_NEAR_MILLIS = 60_000;

export interface TellPorts {
  readonly items: ItemStore;
  readonly wakes: WakeQueue;
  readonly clock: Clock;
}

/**
 * Tells a run that something was recorded for it, after the record, and wakes it if it is suspended. May be repeated.
 * @param ordinal of what it waited for
 * @returns the run as it is then; `undefined`: it is gone. One that has ended was told nothing.
 */
export async function tellRun(
  ports: TellPorts,
  runId: string,
  reason: WakeReason,
  ordinal?: number,
): Promise<RunRecord | undefined> {
  const run = await mark(new RunStore(ports.items), runId, ports.clock.now() + DUE_NEAR_MILLIS, ordinal);
  if (run?.status === 'SUSPENDED') await ports.wakes.send({ runId, reason });
  return run;
}

/** The record of a run that is as good as over, or over. */
export const hasEnded = (run: RunRecord): boolean => run.status === 'COMPLETING' || isFinal(run.status);

async function mark(
  runs: RunStore,
  runId: string,
  dueAt: number,
  ordinal: number | undefined,
): Promise<RunRecord | undefined> {
  for (let status: RunRecord['status'] | undefined; ; ) {
    const isAsleep = status === 'PARKED' || status === 'BLOCKED';
    const result =
      isAsleep && status ? await runs.markAsleep(runId, status) : await runs.markNews(runId, dueAt, ordinal);
    if (result.kind === 'written' || result.run === undefined || hasEnded(result.run)) return result.run;
    status = result.run.status;
  }
}
