import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../lib/agent/config.ts';
import { decideWake } from '../../../lib/runner/drive/decide-wake.ts';
import type { RunRecord, RunStatus } from '../../../lib/store/run-record.ts';

const NOW = 1_000_000;
const MAX_AGE = 30 * 86_400_000;
const config = resolveConfig('The configuration');

const run = (more: Partial<RunRecord>): RunRecord => ({
  runId: 'r',
  agent: 'a',
  status: 'RUNNING',
  epoch: 1,
  wakeCount: 0,
  attempts: 0,
  factsAtClaim: 0,
  redrives: 0,
  digest: '',
  sequence: '',
  hops: 0,
  createdAt: NOW,
  ttl: 0,
  ...more,
});

const decide = (more: Partial<RunRecord>, now = NOW) => decideWake(run(more), config, now);

describe('a woken run', () => {
  it('that is not there needs nothing', () => {
    expect(decideWake(undefined, config, NOW)).toEqual({ kind: 'drop', why: 'there is no such run' });
  });

  it.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)(
    'that is %s needs nothing, whatever else it says',
    (status) => {
      expect(decide({ status, cancelMark: 1 }, NOW + MAX_AGE * 2)).toEqual({
        kind: 'drop',
        why: `the run is ${status}`,
      });
    },
  );

  it('whose outcome is fixed is ended by whoever comes, also while its driver does', () => {
    expect(decide({ status: 'COMPLETING', leaseUntil: NOW + 1, cancelMark: 1 })).toEqual({ kind: 'end' });
  });

  it('is left to its driver until the lease is over, also to be cancelled or expired', () => {
    for (const more of [{}, { cancelMark: 1 }, { createdAt: NOW - MAX_AGE }])
      expect(decide({ ...more, leaseUntil: NOW + 1 })).toEqual({ kind: 'drop', why: 'the run is driven' });
    expect(decide({ leaseUntil: NOW })).toEqual({ kind: 'drive' });
  });

  it.each(['PARKED', 'RUNNING', 'BLOCKED'] as const)(
    'that is %s ends when it has a cancel mark, before all else',
    (status) => {
      expect(decide({ status, cancelMark: 1, notBefore: NOW + 1, createdAt: NOW - MAX_AGE })).toEqual({
        kind: 'conclude',
        because: 'cancelled',
      });
    },
  );

  it.each(['PARKED', 'RUNNING', 'BLOCKED'] as const)('that is %s ends at its age', (status) => {
    expect(decide({ status, notBefore: NOW + MAX_AGE * 2 }, NOW + MAX_AGE)).toEqual({
      kind: 'conclude',
      because: 'expired',
    });
    expect(decide({ status }, NOW + MAX_AGE - 1).kind).not.toBe('conclude');
  });

  it('that is SUSPENDED is looked at when somebody left a mark or it is due, and needs nothing else', () => {
    const suspended = { status: 'SUSPENDED', wakeCount: 3, wakeCountAtSuspension: 3, dueAt: NOW + 1 } as const;
    expect(decide(suspended)).toEqual({ kind: 'drop', why: 'nothing has happened' });
    expect(decide({ ...suspended, wakeCount: 4 })).toEqual({ kind: 'look' });
    expect(decide({ ...suspended, dueAt: NOW })).toEqual({ kind: 'look' });
    expect(decide({ ...suspended, cancelMark: 1 })).toEqual({ kind: 'conclude', because: 'cancelled' });
    expect(decide(suspended, NOW + MAX_AGE)).toEqual({ kind: 'conclude', because: 'expired' });
  });

  it('that is BLOCKED waits for redrive', () => {
    expect(decide({ status: 'BLOCKED' })).toEqual({ kind: 'drop', why: 'the run is BLOCKED' });
  });

  it('is not driven before the wait after its last attempt is over', () => {
    expect(decide({ notBefore: NOW + 1 })).toEqual({ kind: 'drop', why: 'the run waits before its next attempt' });
    expect(decide({ notBefore: NOW })).toEqual({ kind: 'drive' });
  });

  it.each<[RunStatus, string]>([
    ['RUNNING', 'drive'],
    ['PARKED', 'take-key'],
  ])('that is %s goes on: %s', (status, kind) => {
    expect(decide({ status })).toEqual({ kind });
  });
});
