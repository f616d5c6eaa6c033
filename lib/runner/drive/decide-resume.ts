import type { CallRecord, Journal } from '../../store/journal.ts';
import { parseOrdinals } from '../engine/settle-order.ts';
import { TakenSignals } from '../engine/taken-signals.ts';

export type ResumeDecision =
  /** A wait of the run can end. */
  | { readonly kind: 'resume' }
  /** Nothing that it waits for has happened; `until`: when the first wait ends by itself. */
  | { readonly kind: 'wait'; readonly until: number | undefined };

/** Whether anything that a suspended run waits for has happened. @param settleOrder of the run's record: what it has seen */
export function decideResume(journal: Journal, settleOrder: string | undefined, now: number): ResumeDecision {
  const seen = new Set(parseOrdinals(settleOrder));
  const calls = [...journal.calls.values()].filter((call) => !journal.actions.has(call.actionId));
  const waits = calls.filter((call) => call.status === 'PENDING');
  const taken = new TakenSignals(journal);
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const isOver = calls.some((call) => isNews(call) && !seen.has(call.ordinal)) || ends.some((until) => until <= now);
  if (isOver || waits.some((wait) => taken.next(journal.signals, wait) !== undefined)) return { kind: 'resume' };
  return { kind: 'wait', until: ends.length === 0 ? undefined : Math.min(...ends) };
}

/** Recorded outside of the run's drives, whose own outcomes have a position; or nobody can follow it any more. */
const isNews = ({ status, epoch, fault }: CallRecord): boolean =>
  fault !== undefined || (status !== 'PENDING' && epoch === undefined);
