import type { CallRecord } from '../store/journal.ts';

/** What user code asks for now. */
export interface AskedCall {
  readonly kind: string;
  readonly argsDigest: string | undefined;
  readonly view: number;
  readonly recovery: 'reconcile' | 'interrupt' | 'wait' | 'none';
}

export type ReplayDecision =
  | { readonly kind: 'execute' }
  | { readonly kind: 'return'; readonly record: CallRecord }
  | { readonly kind: 'throw'; readonly record: CallRecord }
  | { readonly kind: 'reconcile'; readonly record: CallRecord }
  | { readonly kind: 'interrupt'; readonly record: CallRecord }
  | { readonly kind: 'wait'; readonly record: CallRecord }
  /** The call was given up before it had an outcome. */
  | { readonly kind: 'cancelled'; readonly record: CallRecord }
  | { readonly kind: 'mismatch'; readonly recorded: string; readonly asked: string };

/** What a durable call does about the record in its slot. */
export function decideReplay(record: CallRecord | undefined, asked: AskedCall): ReplayDecision {
  if (record === undefined) return { kind: 'execute' };
  const difference = differenceOf(record, asked);
  if (difference !== undefined) return { kind: 'mismatch', ...difference };
  switch (record.status) {
    case 'SUCCEEDED':
      return { kind: 'return', record };
    case 'FAILED':
      return { kind: 'throw', record };
    case 'CANCELLED':
      return { kind: 'cancelled', record };
    case 'PENDING':
      // Between two of its attempts nothing is open.
      return record.callsMade === undefined ? decidePending(record, asked) : { kind: 'wait', record };
  }
}

/** PENDING was left by an interrupted call, never taken for a miss, or by a wait that is not over. */
function decidePending(record: CallRecord, asked: AskedCall): ReplayDecision {
  switch (asked.recovery) {
    case 'reconcile':
      return { kind: 'reconcile', record };
    case 'interrupt':
      return { kind: 'interrupt', record };
    case 'wait':
      return { kind: 'wait', record };
    case 'none':
      return {
        kind: 'mismatch',
        recorded: 'an interrupted call that announced itself (it had a reconciler or was at-most-once)',
        asked: 'a call without either',
      };
  }
}

function differenceOf(record: CallRecord, asked: AskedCall): { recorded: string; asked: string } | undefined {
  if (record.kind !== asked.kind) return { recorded: `kind "${record.kind}"`, asked: `kind "${asked.kind}"` };
  // Arguments that one side does not name are not compared.
  const named = record.argsDigest !== undefined && asked.argsDigest !== undefined;
  if (named && record.argsDigest !== asked.argsDigest) {
    return {
      recorded: `arguments with digest ${record.argsDigest}`,
      asked: `arguments with digest ${asked.argsDigest}`,
    };
  }
  if (record.view !== asked.view) {
    return {
      recorded: `an action that began after ${record.view} finished ones`,
      asked: `one that began after ${asked.view}`,
    };
  }
  return undefined;
}
