import type { Config } from '../../agent/config.ts';
import { isFinal, type RunRecord } from '../../store/run-record.ts';
import { endOfAge } from '../retention.ts';

export type WakeDecision =
  /** Nothing to do: why, for the log. */
  | { readonly kind: 'drop'; readonly why: string }
  /** The outcome is fixed; the end is to be finished. */
  | { readonly kind: 'end' }
  /** The run is to end without being driven. */
  | { readonly kind: 'conclude'; readonly because: 'cancelled' | 'expired' }
  /** The run waits for its key, or may hold it already. */
  | { readonly kind: 'take-key' }
  /** The run is suspended, and something may have happened that it waits for. */
  | { readonly kind: 'look' }
  | { readonly kind: 'drive' };

/** D1: what a woken run needs. */
export function decideWake(run: RunRecord | undefined, config: Config, now: number): WakeDecision {
  if (run === undefined) return { kind: 'drop', why: 'there is no such run' };
  if (isFinal(run.status)) return { kind: 'drop', why: `the run is ${run.status}` };
  if (run.status === 'COMPLETING') return { kind: 'end' };
  if ((run.leaseUntil ?? 0) > now) return { kind: 'drop', why: 'the run is driven' };
  if (run.cancelMark !== undefined) return { kind: 'conclude', because: 'cancelled' };
  if (now >= endOfAge(run.createdAt, config)) return { kind: 'conclude', because: 'expired' };
  if (run.status === 'BLOCKED') return { kind: 'drop', why: 'the run is BLOCKED' };
  if (run.status === 'SUSPENDED') {
    const isUnmarked = run.wakeCount === run.wakeCountAtSuspension;
    return isUnmarked && (run.dueAt ?? 0) > now ? { kind: 'drop', why: 'nothing has happened' } : { kind: 'look' };
  }
  if ((run.notBefore ?? 0) > now) return { kind: 'drop', why: 'the run waits before its next attempt' };
  return run.status === 'PARKED' ? { kind: 'take-key' } : { kind: 'drive' };
}
