import { describe, expect, it } from 'vitest';
import { type AskedCall, decideReplay } from '../../../lib/durable/decide-replay.ts';
import type { CallRecord, CallStatus } from '../../../lib/store/journal.ts';

const record = (status: CallStatus, more: Partial<CallRecord> = {}): CallRecord => ({
  actionId: 'action',
  actionName: 'act',
  slot: 'a#0',
  status,
  kind: 'call',
  ordinal: 1,
  view: 0,
  writer: 'driver-1',
  startedAt: 0,
  ...more,
});

const asked: AskedCall = { kind: 'call', argsDigest: undefined, view: 0, recovery: 'none' };

describe('what a durable call does about its record', () => {
  it('makes the call when there is none', () => {
    for (const recovery of ['none', 'reconcile', 'interrupt'] as const)
      expect(decideReplay(undefined, { ...asked, recovery })).toEqual({ kind: 'execute' });
  });

  it.each([
    ['SUCCEEDED', 'return'],
    ['FAILED', 'throw'],
  ] as const)('gives a %s outcome back, whatever the call would do about an interruption', (status, kind) => {
    const found = record(status);
    for (const recovery of ['none', 'reconcile', 'interrupt'] as const)
      expect(decideReplay(found, { ...asked, recovery })).toEqual({ kind, record: found });
  });

  it.each(['reconcile', 'interrupt'] as const)('never takes PENDING for a miss: %s', (recovery) => {
    const found = record('PENDING');
    expect(decideReplay(found, { ...asked, recovery })).toEqual({ kind: recovery, record: found });
  });

  it('blocks when an interrupted call lost its reconciler', () => {
    expect(decideReplay(record('PENDING'), asked)).toEqual({
      kind: 'mismatch',
      recorded: 'an interrupted call that announced itself (it had a reconciler or was at-most-once)',
      asked: 'a call without either',
    });
  });
});

describe('a call that does not fit its record', () => {
  const statuses = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;

  it.each(statuses)('of another kind: %s', (status) => {
    expect(decideReplay(record(status, { kind: 'sleep' }), asked)).toEqual({
      kind: 'mismatch',
      recorded: 'kind "sleep"',
      asked: 'kind "call"',
    });
  });

  it.each(statuses)('with other arguments: %s', (status) => {
    const found = record(status, { argsDigest: 'old' });
    expect(decideReplay(found, { ...asked, argsDigest: 'new' })).toEqual({
      kind: 'mismatch',
      recorded: 'arguments with digest old',
      asked: 'arguments with digest new',
    });
  });

  it.each(statuses)('of an action that began elsewhere: %s', (status) => {
    expect(decideReplay(record(status, { view: 2 }), { ...asked, view: 3 })).toMatchObject({
      kind: 'mismatch',
      recorded: 'an action that began after 2 finished ones',
      asked: 'one that began after 3',
    });
  });

  it('compares nothing when one side names no arguments', () => {
    const named = record('SUCCEEDED', { argsDigest: 'old' });
    expect(decideReplay(named, asked)).toEqual({ kind: 'return', record: named });
    const unnamed = record('SUCCEEDED');
    expect(decideReplay(unnamed, { ...asked, argsDigest: 'new' })).toEqual({ kind: 'return', record: unnamed });
  });
});
