import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../lib/agent/config.ts';
import { type ClaimInput, concludeChange, decideClaim, factCount } from '../../../lib/runner/drive/claim.ts';
import {
  type ActionRecord,
  type CallRecord,
  type CallStatus,
  EMPTY_JOURNAL,
  type Journal,
} from '../../../lib/store/journal.ts';
import type { RunRecord } from '../../../lib/store/run-record.ts';
import { decodeThrown, encodeThrown } from '../../../lib/values/error-codec.ts';

const NOW = 1_000_000;

const run = (more: Partial<RunRecord> = {}): RunRecord => ({
  runId: 'r',
  agent: 'a',
  status: 'RUNNING',
  epoch: 4,
  wakeCount: 0,
  attempts: 2,
  factsAtClaim: 0,
  redrives: 0,
  digest: '',
  sequence: '',
  hops: 0,
  createdAt: NOW,
  ttl: 0,
  ...more,
});

/** A journal with a call of each status, and so many finished actions. */
function journalOf(statuses: readonly CallStatus[], actions = 0): Journal {
  const calls = statuses.map(
    (status, ordinal) => ({ actionId: 'open', slot: `c${ordinal}`, status, ordinal }) as CallRecord,
  );
  const finished = Array.from(
    { length: actions },
    (_, n) => ({ actionId: `done-${n}`, ordinal: 100 + n, epoch: 4, position: n }) as ActionRecord,
  );
  return {
    ...EMPTY_JOURNAL,
    calls: new Map(calls.map((call) => [call.slot, call])),
    actions: new Map(finished.map((action) => [action.actionId, action])),
  };
}

const decide = (more: Partial<ClaimInput> = {}) =>
  decideClaim({
    seen: run(),
    journal: journalOf([]),
    config: resolveConfig('The configuration'),
    now: NOW,
    deadline: NOW + 300_000,
    owner: 'me',
    turn: undefined,
    ...more,
  });

const changeOf = (more: Partial<ClaimInput>) => {
  const decision = decide(more);
  if (decision.kind !== 'claim') throw new Error('The run is concluded.');
  return decision.change;
};

describe('a claim', () => {
  it('takes the lease and raises the epoch', () => {
    expect(decide()).toEqual({
      kind: 'claim',
      change: { status: 'RUNNING', epoch: 5, owner: 'me', leaseUntil: NOW + 60_000, dueAt: NOW + 60_000, attempts: 3 },
      seenOrdinals: [],
    });
  });

  it('ends its lease with the invocation at the latest', () => {
    expect(changeOf({ deadline: NOW + 10_000 })).toMatchObject({ leaseUntil: NOW + 10_000 });
  });

  it.each([
    [NOW + 29_999, NOW + 60_000],
    [NOW + 30_000, NOW + 30_000],
    [NOW + 60_000, NOW + 60_000],
    [NOW + 60_001, NOW + 60_000],
  ])(
    'keeps a due time that comes shortly before the end of the lease, which spares the index two writes: %i',
    (dueAt, after) => {
      expect(changeOf({ seen: run({ dueAt }) })).toMatchObject({ dueAt: after });
    },
  );

  it('takes the turn of the key', () => {
    expect(changeOf({ turn: 9 })).toMatchObject({ turn: 9 });
  });

  it('records the order of what it found, also when nothing is left of it', () => {
    expect(changeOf({ journal: journalOf(['SUCCEEDED', 'PENDING', 'FAILED'], 1) })).toMatchObject({
      settleOrder: '100.0.2',
    });
    expect(
      changeOf({ seen: run({ settleOrder: '2.0' }), journal: journalOf(['SUCCEEDED', 'PENDING', 'FAILED']) }),
    ).toMatchObject({ settleOrder: '2.0' });
    expect(changeOf({ seen: run({ settleOrder: '7' }) })).toMatchObject({ settleOrder: '' });
  });
});

describe('attempts', () => {
  it('are counted from one again when the journal grew since the last claim', () => {
    const journal = journalOf(['SUCCEEDED', 'PENDING'], 1);
    expect(factCount(journal)).toBe(4);
    expect(changeOf({ journal, seen: run({ factsAtClaim: 3 }) })).toMatchObject({ attempts: 1, factsAtClaim: 4 });
    const same = changeOf({ journal, seen: run({ factsAtClaim: 4 }) });
    expect(same).toMatchObject({ attempts: 3 });
    expect(same).not.toHaveProperty('factsAtClaim');
  });

  it('grow by an outcome over its mark', () => {
    expect(factCount(journalOf(['PENDING']))).toBe(1);
    expect(factCount(journalOf(['SUCCEEDED']))).toBe(2);
    expect(factCount(journalOf(['FAILED']))).toBe(2);
  });

  it('are taken anew when redrive dropped calls', () => {
    expect(changeOf({ journal: journalOf(['SUCCEEDED']), seen: run({ factsAtClaim: 9, attempts: 0 }) })).toMatchObject({
      attempts: 1,
      factsAtClaim: 2,
    });
  });

  it('that are used up end the run, with the last error as the reason', () => {
    const error = encodeThrown(new RangeError('the last one'));
    expect(decide({ seen: run({ attempts: 5, error }) })).toMatchObject({
      kind: 'conclude',
      error: {
        code: 'ATTEMPTS_EXHAUSTED',
        message:
          'The run made no progress in 5 attempts (last error: the last one). Mend the cause, then redrive the run.',
        cause: { name: 'RangeError' },
      },
    });
    expect(decide({ seen: run({ attempts: 4 }) }).kind).toBe('claim');
  });
});

describe('a conclusion', () => {
  it('fixes the outcome and raises the epoch, so that no driver of before goes on', () => {
    expect(concludeChange(run(), 'CANCELLED', NOW)).toEqual({
      status: 'COMPLETING',
      outcome: 'CANCELLED',
      epoch: 5,
      dueAt: NOW + 60_000,
    });
  });

  it('of a parked run says that it never held its key', () => {
    const change = concludeChange(run({ status: 'PARKED' }), 'FAILED', NOW, new Error('too old'));
    expect(change).toMatchObject({ outcome: 'FAILED', neverDriven: 1 });
    expect(decodeThrown(change.error ?? '')).toEqual(new Error('too old'));
  });
});
