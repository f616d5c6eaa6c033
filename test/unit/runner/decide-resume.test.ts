import { describe, expect, it } from 'vitest';
import { decideResume } from '../../../lib/runner/drive/decide-resume.ts';
import { type ActionRecord, type CallRecord, EMPTY_JOURNAL, type SignalRecord } from '../../../lib/store/journal.ts';

const NOW = 1_000_000;

const wait = (slot: string, more: Partial<CallRecord> = {}): CallRecord => ({
  actionId: 'action',
  actionName: 'act',
  slot,
  status: 'PENDING',
  kind: 'sleep',
  ordinal: 1,
  view: 0,
  writer: 'me',
  startedAt: 0,
  ...more,
});
const ask = (slot: string, more: Partial<CallRecord> = {}) => wait(slot, { kind: 'signal', signalName: 'go', ...more });
const signal = (more: Partial<SignalRecord> = {}): SignalRecord => ({
  name: 'go',
  sequence: '1',
  arrivedAt: NOW - 1,
  ...more,
});

const decide = (
  calls: readonly CallRecord[],
  signals: readonly SignalRecord[] = [],
  finished: readonly string[] = [],
  settleOrder?: string,
) =>
  decideResume(
    {
      ...EMPTY_JOURNAL,
      calls: new Map(calls.map((call) => [call.slot, call])),
      actions: new Map(finished.map((id) => [id, {} as ActionRecord])),
      signals,
    },
    settleOrder,
    NOW,
  );
const resume = { kind: 'resume' };

describe('a suspended run', () => {
  it('goes on when the time of a wait has come, to the millisecond', () => {
    expect(decide([wait('a', { until: NOW })])).toEqual(resume);
    expect(decide([wait('a', { until: NOW + 1 })])).toEqual({ kind: 'wait', until: NOW + 1 });
  });

  it('is looked at when the first wait ends by itself, if one does', () => {
    expect(decide([wait('a', { until: NOW + 9 }), ask('b'), wait('c', { until: NOW + 5 })])).toEqual({
      kind: 'wait',
      until: NOW + 5,
    });
    expect(decide([ask('a')])).toEqual({ kind: 'wait', until: undefined });
  });

  it('goes on for a signal that it waits for, and for no other', () => {
    expect(decide([ask('a')], [signal()])).toEqual(resume);
    expect(decide([ask('a')], [signal({ name: 'other' })]).kind).toBe('wait');
    expect(decide([wait('a', { until: NOW + 1 })], [signal()]).kind).toBe('wait');
  });

  it('goes on for an outcome that somebody else has recorded, unless it has seen it', () => {
    const answered = ask('a', { status: 'SUCCEEDED', ordinal: 7 });
    expect(decide([answered]).kind).toBe('resume');
    expect(decide([answered], [], [], '1.5-8').kind).toBe('wait');
    expect(decide([{ ...answered, epoch: 1, position: 0 }]).kind).toBe('wait');
    expect(decide([answered], [], [answered.actionId]).kind).toBe('wait');
  });

  it('goes on for a call that nobody can follow any more', () => {
    expect(decide([ask('a', { fault: 'its poller died' })]).kind).toBe('resume');
  });

  it('goes on for no signal that a wait has taken already', () => {
    const taken = ask('a', { status: 'SUCCEEDED', epoch: 1, position: 0, signalSequence: '1' });
    expect(decide([taken, ask('b')], [signal()]).kind).toBe('wait');
    expect(decide([taken, ask('b')], [signal(), signal({ sequence: '2' })])).toEqual(resume);
  });

  it('goes on for no signal that came after the time of its wait', () => {
    expect(decide([ask('a', { until: NOW + 5 })], [signal({ arrivedAt: NOW + 6 })])).toEqual({
      kind: 'wait',
      until: NOW + 5,
    });
  });

  it('waits for nothing that a finished action left behind', () => {
    expect(decide([wait('a', { until: NOW - 1 }), ask('b')], [signal()], ['action'])).toEqual({
      kind: 'wait',
      until: undefined,
    });
  });
});
