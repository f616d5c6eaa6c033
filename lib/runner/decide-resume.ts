import type { CallRecord, Journal } from '../store/journal.ts';
import { consumedSignals, signalId } from './external-waits.ts';

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
  const consumed = new Set(consumedSignals(journal));
  const arrived = new Set(
    journal.signals.filter(({ name, sequence }) => !consumed.has(signalId(name, sequence))).map(({ name }) => name),
  );
  if (waits.some((wait) => hasEnded(wait, arrived, now))) return { kind: 'resume' };
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
  return { kind: 'wait', until: ends.length === 0 ? undefined : Math.min(...ends) };
}

const hasEnded = ({ until, signalName }: CallRecord, arrived: ReadonlySet<string>, now: number): boolean =>
  (until !== undefined && until <= now) || (signalName !== undefined && arrived.has(signalName));
