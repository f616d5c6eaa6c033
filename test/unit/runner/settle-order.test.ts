import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOrdinals, parseOrdinals, settledOrdinals } from '../../../lib/runner/engine/settle-order.ts';
import {
  type ActionRecord,
  type CallRecord,
  EMPTY_JOURNAL,
  type Journal,
  journalSlot,
} from '../../../lib/store/journal.ts';

const call = (ordinal: number, more: Partial<CallRecord> = {}): CallRecord => ({
  actionId: 'open',
  actionName: 'act',
  slot: `c${ordinal}#0`,
  status: 'SUCCEEDED',
  kind: 'call',
  ordinal,
  view: 0,
  writer: 'driver',
  startedAt: 0,
  ...more,
});

const action = (ordinal: number, epoch: number, position: number): ActionRecord => ({
  actionId: `action-${ordinal}`,
  name: 'act',
  parentActionId: 'root',
  triggerEventId: 'event',
  path: 'act',
  ordinal,
  view: 0,
  writer: 'driver',
  startedAt: 0,
  endedAt: 0,
  epoch,
  position,
});

const journalOf = (calls: readonly CallRecord[], actions: readonly ActionRecord[] = []): Journal => ({
  signals: [],
  polls: EMPTY_JOURNAL.polls,
  calls: new Map(calls.map((record) => [journalSlot(record.actionId, record.slot), record])),
  actions: new Map(actions.map((record) => [record.actionId, record])),
});

describe('the text form of ordinals', () => {
  it('writes ascending runs as ranges', () => {
    expect(formatOrdinals([])).toBe('');
    expect(formatOrdinals([7])).toBe('7');
    expect(formatOrdinals([...Array.from({ length: 13 }, (_, index) => index), 15, 13])).toBe('0-12.15.13');
    expect(formatOrdinals([3, 2, 1])).toBe('3.2.1');
  });

  it('reads what it wrote', () => {
    expect(parseOrdinals(undefined)).toEqual([]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(2_000)), (ordinals) => {
        expect(parseOrdinals(formatOrdinals(ordinals))).toEqual(ordinals);
      }),
    );
  });

  it('stays below 4 KB for 1,000 children in the worst order', () => {
    const zigzag = Array.from({ length: 1_000 }, (_, index) => (index % 2 === 0 ? index / 2 : 999 - (index - 1) / 2));
    expect(formatOrdinals(zigzag).length).toBeLessThan(4_096);
  });
});

describe('the order of settled facts', () => {
  it('is the recorded one first', () => {
    const journal = journalOf([call(1, { epoch: 1, position: 0 }), call(2, { epoch: 1, position: 1 }), call(3)]);
    expect(settledOrdinals('3.2', journal)).toEqual([3, 2, 1]);
  });

  it('goes on with what the last driver saw, before what landed late', () => {
    const journal = journalOf(
      [call(1, { epoch: 1, position: 5 }), call(2, { epoch: 2, position: 1 }), call(3, { epoch: 2, position: 0 })],
      [action(4, 1, 6)],
    );
    expect(settledOrdinals(undefined, journal)).toEqual([3, 2, 1, 4]);
  });

  it('does not depend on epochs that drove nothing: a redrive raises the epoch, and so does a conclusion', () => {
    const late = call(1, { epoch: 1, position: 0 });
    const shown = call(2, { epoch: 2, position: 0 });
    expect(settledOrdinals(undefined, journalOf([late, shown]))).toEqual([2, 1]);
  });

  it('puts facts without a position last, in the order of their starts', () => {
    const journal = journalOf([call(9), call(4), call(5, { epoch: 1, position: 0 })]);
    expect(settledOrdinals(undefined, journal)).toEqual([5, 4, 9]);
  });

  it('leaves out what is PENDING, gone, or of a finished action', () => {
    const journal = journalOf(
      [call(1, { status: 'PENDING' }), call(2, { actionId: 'action-3' }), call(5, { status: 'FAILED' })],
      [action(3, 1, 0)],
    );
    expect(settledOrdinals('1.2.7', journal)).toEqual([3, 5]);
  });

  it('is a permutation of the settled facts, and stable once it is recorded', () => {
    const position = fc.record({ epoch: fc.integer({ min: 1, max: 3 }), position: fc.nat(5) });
    const entries = fc.uniqueArray(fc.tuple(fc.nat(30), fc.option(position, { nil: undefined })), {
      selector: ([ordinal]) => ordinal,
    });
    fc.assert(
      fc.property(entries, fc.uniqueArray(fc.nat(30)), (facts, recorded) => {
        const journal = journalOf(facts.map(([ordinal, at]) => call(ordinal, at ?? {})));
        const order = settledOrdinals(formatOrdinals(recorded), journal);
        expect([...order].sort((a, b) => a - b)).toEqual(facts.map(([ordinal]) => ordinal).sort((a, b) => a - b));
        expect(settledOrdinals(formatOrdinals(order), journal)).toEqual(order);
      }),
    );
  });
});
