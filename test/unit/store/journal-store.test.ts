import { describe, expect, it } from 'vitest';
import type { ActionRecord, CallRecord } from '../../../lib/store/journal.ts';
import { JournalStore } from '../../../lib/store/journal-store.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';

const TTL = 5_000;
const NOW = 1_000_000;

const call = (more: Partial<CallRecord> = {}): CallRecord => ({
  actionId: 'action',
  actionName: 'act',
  slot: 'a#0',
  status: 'SUCCEEDED',
  kind: 'call',
  ordinal: 1,
  view: 0,
  writer: 'me',
  startedAt: NOW,
  text: '1',
  epoch: 1,
  position: 0,
  endedAt: NOW,
  ...more,
});

const pending = (more: Partial<CallRecord> = {}): CallRecord => {
  const {
    text: _text,
    epoch: _epoch,
    position: _position,
    endedAt: _endedAt,
    ...mark
  } = call({ status: 'PENDING', ...more });
  return mark;
};

const outcome = (more: Partial<CallRecord> = {}) => ({
  ...call(more),
  epoch: more.epoch ?? 1,
  position: more.position ?? 0,
});

const action = (more: Partial<ActionRecord> = {}): ActionRecord => ({
  actionId: 'action',
  name: 'act',
  parentActionId: 'root',
  triggerEventId: 'event',
  path: 'act',
  ordinal: 0,
  view: 0,
  writer: 'me',
  startedAt: NOW,
  endedAt: NOW,
  epoch: 1,
  position: 1,
  text: '{}',
  ...more,
});

function setup(ttl = TTL) {
  const items = new InMemoryItemStore();
  return { items, store: new JournalStore(items, 'r', ttl) };
}

const callsOf = async (store: JournalStore) => [...(await store.read()).journal.calls.values()];

describe('the record of a call', () => {
  it('comes back as it was stored', async () => {
    const { store } = setup();
    const full = call({ argsDigest: 'digest', reference: '{}' });
    expect(await store.putCall(full)).toEqual({ kind: 'recorded' });
    const { journal } = await store.read();
    expect([...journal.calls]).toEqual([['action#a#0', full]]);
    expect([...journal.actions]).toEqual([]);
  });

  it('is written once: the first writer wins, and the second gets what stands there', async () => {
    const { store } = setup();
    await store.putCall(call({ text: 'first' }));
    expect(await store.putCall(call({ text: 'second', writer: 'other' }))).toEqual({
      kind: 'adopted',
      record: call({ text: 'first' }),
    });
    expect(await callsOf(store)).toEqual([call({ text: 'first' })]);
  });

  it('that its writer repeats is its own', async () => {
    const { store } = setup();
    await store.putCall(call());
    expect(await store.putCall(call())).toEqual({ kind: 'recorded' });
  });

  it('that is settled over its mark keeps the place of the mark', async () => {
    const { store } = setup();
    await store.putCall(pending({ writer: 'earlier', ordinal: 7, view: 2, argsDigest: 'digest' }));
    const settled = outcome({ writer: 'me', ordinal: 99, view: 99, epoch: 4, position: 6, startedAt: NOW + 5 });
    expect(await store.settleCall(settled)).toEqual({ kind: 'recorded' });
    expect(await callsOf(store)).toEqual([call({ ordinal: 7, view: 2, argsDigest: 'digest', epoch: 4, position: 6 })]);
  });

  it.each(['SUCCEEDED', 'FAILED'] as const)('that is settled never changes: %s', async (status) => {
    const { store } = setup();
    await store.putCall(pending());
    await store.settleCall(outcome({ status, writer: 'first' }));
    const late = await store.settleCall(outcome({ status: 'SUCCEEDED', text: 'late', writer: 'late' }));
    expect(late).toMatchObject({ kind: 'adopted', record: { status, writer: 'first' } });
    expect(await callsOf(store)).toMatchObject([{ status, writer: 'first' }]);
  });

  it('that its writer settles again is its own, but not one at another position', async () => {
    const { store } = setup();
    await store.putCall(pending());
    await store.settleCall(outcome());
    expect(await store.settleCall(outcome())).toEqual({ kind: 'recorded' });
    expect(await store.settleCall(outcome({ position: 5 }))).toMatchObject({ kind: 'adopted' });
  });

  it('that somebody else marked is adopted as PENDING: it may have happened', async () => {
    const { store } = setup();
    await store.putCall(pending({ writer: 'other' }));
    expect(await store.putCall(pending())).toMatchObject({
      kind: 'adopted',
      record: { status: 'PENDING', writer: 'other' },
    });
  });

  it('expires with its run', async () => {
    const { items, store } = setup();
    await store.putCall(call());
    await store.putAction(action());
    await store.putMemoryView({ text: '{}' });
    expect(items.items().map(({ ttl }) => ttl)).toEqual([TTL, TTL, TTL]);
  });
});

describe('the record of a finished action', () => {
  it('comes back as it was stored, and is written once', async () => {
    const { store } = setup();
    expect(await store.putAction(action({ text: 'first' }))).toEqual({ kind: 'recorded' });
    expect(await store.putAction(action({ text: 'first' }))).toEqual({ kind: 'recorded' });
    expect(await store.putAction(action({ text: 'second', writer: 'other' }))).toEqual({
      kind: 'adopted',
      record: action({ text: 'first' }),
    });
    const { journal } = await store.read();
    expect([...journal.actions]).toEqual([['action', action({ text: 'first' })]]);
  });
});

describe('leftovers of an expired run with the same id', () => {
  const leftovers = async () => {
    const { items, store: old } = setup(TTL - 1_000);
    await old.putCall(call({ text: 'old' }));
    await old.putCall(pending({ slot: 'b#0' }));
    await old.putAction(action({ text: 'old' }));
    await old.putMemoryView({ text: 'old' });
    return { items, store: new JournalStore(items, 'r', TTL) };
  };

  it('are not read', async () => {
    const { store } = await leftovers();
    const { journal, memoryView } = await store.read();
    expect([...journal.calls]).toEqual([]);
    expect([...journal.actions]).toEqual([]);
    expect(memoryView).toBeUndefined();
  });

  it('are written over', async () => {
    const { store } = await leftovers();
    expect(await store.putCall(call({ text: 'new' }))).toEqual({ kind: 'recorded' });
    expect(await store.putAction(action({ text: 'new' }))).toEqual({ kind: 'recorded' });
    await store.putMemoryView({ text: 'new' });
    const { journal, memoryView } = await store.read();
    expect([...journal.calls.values()]).toMatchObject([{ text: 'new' }]);
    expect([...journal.actions.values()]).toMatchObject([{ text: 'new' }]);
    expect(memoryView).toEqual({ text: 'new' });
  });
});

describe('a failed call that redrive drops', () => {
  const failed = call({ status: 'FAILED', text: '{}' });

  it('counts as never made, and may be made again', async () => {
    const { store } = setup();
    await store.putCall(failed);
    await store.dropFailedCall(failed);
    expect(await callsOf(store)).toEqual([]);
    expect(await store.putCall(pending({ writer: 'new' }))).toEqual({ kind: 'recorded' });
    expect(await store.settleCall(outcome({ writer: 'new' }))).toEqual({ kind: 'recorded' });
    expect(await callsOf(store)).toMatchObject([{ status: 'SUCCEEDED', writer: 'new' }]);
  });

  it('expires by itself, whatever becomes of the run', async () => {
    const { items, store } = setup();
    await store.putCall(failed);
    await store.dropFailedCall(failed);
    expect(items.items().map(({ ttl }) => ttl)).toEqual([NOW / 1_000]);
  });

  it('is left alone when another outcome stands there by now', async () => {
    const { store } = setup();
    for (const newer of [call({ writer: 'newer' }), call({ status: 'FAILED', writer: 'newer' })]) {
      await store.putCall(newer);
      await store.dropFailedCall(failed);
      expect(await callsOf(store)).toHaveLength(1);
    }
  });

  it('is not brought into being', async () => {
    const { items, store } = setup();
    await store.dropFailedCall(failed);
    expect(items.items()).toEqual([]);
  });
});

describe('the memory that a failed run began with', () => {
  it('is the first that is written', async () => {
    const { store } = setup();
    await store.putMemoryView({ text: 'first' });
    await store.putMemoryView({ text: 'second' });
    expect((await store.read()).memoryView).toEqual({ text: 'first' });
  });
});

describe('signals', () => {
  const signal = (sequence: string, more: object = {}) => ({
    name: 'go',
    sequence,
    arrivedAt: NOW,
    text: '1',
    ...more,
  });

  it('are read in the order of the queue, whatever their names', async () => {
    const store = new JournalStore(new InMemoryItemStore(), 'r', TTL);
    for (const each of [signal('3'), signal('1', { name: 'z' }), signal('2', { name: 'a/b #' })])
      await store.putSignal(each);
    const signals = await store.readSignals();
    expect(signals).toEqual([signal('1', { name: 'z' }), signal('2', { name: 'a/b #' }), signal('3')]);
    expect((await store.read()).journal.signals).toEqual(signals);
  });

  it('keep what they were when their message comes again', async () => {
    const store = new JournalStore(new InMemoryItemStore(), 'r', TTL);
    await store.putSignal(signal('1'));
    await store.putSignal(signal('1', { arrivedAt: NOW + 1, text: '2' }));
    expect(await store.readSignals()).toEqual([signal('1')]);
  });

  it('of an expired run with the same id do not count, and give way', async () => {
    const items = new InMemoryItemStore();
    await new JournalStore(items, 'r', TTL).putSignal(signal('1'));
    const later = new JournalStore(items, 'r', TTL + 1);
    expect(await later.readSignals()).toEqual([]);
    await later.putSignal(signal('1', { text: '2' }));
    expect(await later.readSignals()).toEqual([signal('1', { text: '2' })]);
  });
});
