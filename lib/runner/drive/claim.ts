import type { Config } from '../../agent/config.ts';
import { AgentError } from '../../errors/agent-error.ts';
import type { Journal } from '../../store/journal.ts';
import type { RunOutcome, RunRecord } from '../../store/run-record.ts';
import { decodeThrown, describeThrown } from '../../values/error-codec.ts';
import { encodeRunError } from '../end/run-error.ts';
import { formatOrdinals, settledOrdinals } from '../engine/settle-order.ts';
import { DUE_NEAR_MILLIS } from '../retention.ts';
import { leaseEnd } from './drive-lease.ts';

/** A change of `dueAt` costs two write units of the index; a wake that comes this much early does no harm, a later one would delay the healing. */
const DUE_TOLERANCE_MILLIS = 30_000;

export interface ClaimInput {
  /** The record of D1. */
  readonly seen: RunRecord;
  /** The journal, read after it. */
  readonly journal: Journal;
  readonly config: Config;
  readonly now: number;
  readonly deadline: number;
  /** Writer token of the driver. */
  readonly owner: string;
  /** Turn of the key, when the run has one. */
  readonly turn: number | undefined;
}

export type ClaimDecision =
  | { readonly kind: 'claim'; readonly change: Partial<RunRecord>; readonly seenOrdinals: readonly number[] }
  | { readonly kind: 'conclude'; readonly error: AgentError };

/** D3: how the record changes when a driver takes the run, unless its attempts are used up. */
export function decideClaim({ seen, journal, config, now, deadline, owner, turn }: ClaimInput): ClaimDecision {
  const facts = factCount(journal);
  // A suspended run is claimed because something has happened.
  const attempts = facts > seen.factsAtClaim || seen.status === 'SUSPENDED' ? 1 : seen.attempts + 1;
  if (attempts > config['run.max-attempts']) return { kind: 'conclude', error: attemptsExhausted(seen) };
  const seenOrdinals = settledOrdinals(seen.settleOrder, journal);
  const leaseUntil = leaseEnd(now, config['run.lease-millis'], deadline);
  const seenDue = seen.dueAt ?? 0;
  const isDueSoonEnough = seenDue <= leaseUntil && leaseUntil - seenDue <= DUE_TOLERANCE_MILLIS;
  const change: Partial<RunRecord> = {
    status: 'RUNNING',
    epoch: seen.epoch + 1,
    owner,
    leaseUntil,
    // Written also when it stays as it was seen, which costs the index nothing: another wake may have just put it far away.
    dueAt: isDueSoonEnough ? seenDue : leaseUntil,
    attempts,
    ...(facts === seen.factsAtClaim ? {} : { factsAtClaim: facts }),
    // Rewritten also when nothing is left of it: an ordinal of a call that `redrive` dropped is given again.
    ...(seenOrdinals.length === 0 && seen.settleOrder === undefined
      ? {}
      : { settleOrder: formatOrdinals(seenOrdinals) }),
    ...(turn === undefined ? {} : { turn }),
  };
  return { kind: 'claim', change, seenOrdinals };
}

/** How the record changes when a run ends without being driven again. */
export function concludeChange(seen: RunRecord, outcome: RunOutcome, now: number, error?: unknown): Partial<RunRecord> {
  return {
    status: 'COMPLETING',
    outcome,
    epoch: seen.epoch + 1,
    dueAt: now + DUE_NEAR_MILLIS,
    ...(error === undefined ? {} : { error: encodeRunError(error) }),
    ...(seen.status === 'PARKED' ? { neverDriven: 1 } : {}),
  };
}

/** Grows with each record and with each outcome of a record that was PENDING. */
export function factCount(journal: Journal): number {
  let settled = 0;
  for (const call of journal.calls.values()) if (call.status !== 'PENDING') settled += 1;
  return journal.actions.size + journal.calls.size + settled;
}

function attemptsExhausted(seen: RunRecord): AgentError {
  const last = seen.error === undefined ? undefined : decodeThrown(seen.error);
  const reason =
    last === undefined
      ? 'its function was killed or ran out of memory or time'
      : `last error: ${describeThrown(last).message}`;
  return new AgentError(
    'ATTEMPTS_EXHAUSTED',
    `The run made no progress in ${seen.attempts} attempts (${reason}). Mend the cause, then redrive the run.`,
    { cause: last },
  );
}

/** A run older than `run.max-age-days`. */
export const runExpired = (config: Config): AgentError =>
  new AgentError(
    'RUN_EXPIRED',
    `The run did not finish within ${config['run.max-age-days']} days ("run.max-age-days").`,
  );
