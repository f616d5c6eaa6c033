import type { PollEntry } from '../store/poll-records.ts';
import { HOOK_MILLIS, SUBMIT_MILLIS } from './hook-limits.ts';
import type { PolledRun } from './poll-ports.ts';
import { probeCall } from './probe-call.ts';

/** Probes at once. */
const PARALLEL_PROBES = 20;
/** A probe may have to ask, and to fetch or to submit again; a second for the store. */
export const PROBE_MILLIS = HOOK_MILLIS + SUBMIT_MILLIS + 1_000;

/** When a call may be probed for the first time, or again after a failure. */
export const dueAt = ({ startedAt, intervalMillis, nextAt = 0 }: PollEntry): number =>
  Math.max(startedAt + intervalMillis, nextAt);

/** Those that failed before come last: they may hang, and must not keep the time from the others. */
export async function probeAll(
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
