import type { Journal } from '../store/journal.ts';
import { TakenSignals } from './taken-signals.ts';

export type ResumeDecision =
  /** A wait of the run can end. */
  | { readonly kind: 'resume' }
  /** Nothing that it waits for has happened; `until`: when the first wait ends by itself. */
  | { readonly kind: 'wait'; readonly until: number | undefined };

/** Whether anything that a suspended run waits for has happened. */
export function decideResume(journal: Journal, now: number): ResumeDecision {
  const waits = [...journal.calls.values()].filter(
    (call) => call.status === 'PENDING' && !journal.actions.has(call.actionId),
  );
  const taken = new TakenSignals(journal);
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  const isOver = ends.some((until) => until <= now);
  if (isOver || waits.some((wait) => taken.next(journal.signals, wait) !== undefined)) return { kind: 'resume' };
  return { kind: 'wait', until: ends.length === 0 ? undefined : Math.min(...ends) };
}
