import type { CallRecord, Journal } from '../store/journal.ts';
import { TakenSignals } from './taken-signals.ts';

export type ResumeDecision =
  /** A wait of the run can end. */
  | { readonly kind: 'resume' }
  /** Nothing that it waits for has happened; `until`: when the first wait ends by itself. */
  | { readonly kind: 'wait'; readonly until: number | undefined };

/** Whether anything that a suspended run waits for has happened. @param waitingFor ordinals that it was suspended with */
export function decideResume(journal: Journal, waitingFor: readonly string[], now: number): ResumeDecision {
  const waited = new Set(waitingFor.map(Number));
  const calls = [...journal.calls.values()].filter((call) => !journal.actions.has(call.actionId));
  const waits = calls.filter((call) => call.status === 'PENDING');
  const taken = new TakenSignals(journal);
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const isOver =
    calls.some((call) => waited.has(call.ordinal) && hasSettled(call)) || ends.some((until) => until <= now);
  if (isOver || waits.some((wait) => taken.next(journal.signals, wait) !== undefined)) return { kind: 'resume' };
  return { kind: 'wait', until: ends.length === 0 ? undefined : Math.min(...ends) };
}

/** Also when nobody can follow it any more. */
const hasSettled = ({ status, fault }: CallRecord): boolean => status !== 'PENDING' || fault !== undefined;
