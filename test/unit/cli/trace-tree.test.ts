import { describe, expect, it } from 'vitest';
import { buildTraceTree } from '../../../lib/cli/trace-tree.ts';
import { actionIdOf, eventIdOf, rootActionId } from '../../../lib/runner/run-ids.ts';
import { encodeThrown } from '../../../lib/values/error-codec.ts';
import { actionRecord, callRecord, runRecord, toRecords } from './support/trace-records.ts';

const root = rootActionId('r1');
const first = actionIdOf(root, 0, 'first');
const second = actionIdOf(first, 1, 'second');
const third = actionIdOf(second, 0, 'first');

describe('buildTraceTree', () => {
  it('puts actions under those that started them, in the order of their starts', () => {
    const other = actionIdOf(first, 0, 'second');
    const tree = buildTraceTree(
      toRecords({
        actions: [
          actionRecord({ actionId: second, parentActionId: first, name: 'second', ordinal: 2 }),
          actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0 }),
          actionRecord({ actionId: other, parentActionId: first, name: 'second', ordinal: 1 }),
        ],
        events: {
          [first]: [
            { type: 'a', text: '{}' },
            { type: 'b', text: '{}' },
          ],
        },
      }),
    );
    expect(tree.unplaced).toEqual([]);
    expect(tree.actions).toMatchObject([
      {
        actionId: first,
        trigger: { type: '_input_event', eventId: eventIdOf(root, 0) },
        actions: [
          { actionId: other, trigger: { type: 'a', eventId: eventIdOf(first, 0) }, actions: [] },
          { actionId: second, trigger: { type: 'b', eventId: eventIdOf(first, 1) }, actions: [] },
        ],
      },
    ]);
  });

  it('shows what an action did: calls in the order of their starts, events, outputs, times', () => {
    const tree = buildTraceTree(
      toRecords({
        actions: [
          actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0, startedAt: 5, endedAt: 25 }),
        ],
        calls: [
          callRecord({ actionId: first, slot: 'a%20b#1', status: 'SUCCEEDED', ordinal: 2, startedAt: 7, endedAt: 9 }),
          callRecord({ actionId: first, slot: 'a%20b#0', status: 'FAILED', ordinal: 1, startedAt: 6, endedAt: 8 }),
        ],
        events: {
          [first]: [
            { type: 'note', text: '{"n":1}' },
            { type: '_output_event', text: '{"output":["x"]}' },
          ],
        },
        thrown: { [`${first}#a%20b#0`]: encodeThrown(new TypeError('no')) },
      }),
    );
    expect(tree.actions).toEqual([
      {
        actionId: first,
        name: 'first',
        status: 'FINISHED',
        trigger: { type: '_input_event', eventId: eventIdOf(root, 0) },
        startedAt: 5,
        durationMillis: 20,
        events: [
          { eventId: eventIdOf(first, 0), type: 'note', isOutput: false, preview: '{"n":1}' },
          { eventId: eventIdOf(first, 1), type: '_output_event', isOutput: true, preview: '["x"]' },
        ],
        calls: [
          {
            id: 'a b',
            occurrence: 1,
            kind: 'call',
            status: 'FAILED',
            startedAt: 6,
            durationMillis: 2,
            error: { name: 'TypeError', message: 'no' },
          },
          { id: 'a b', occurrence: 2, kind: 'call', status: 'SUCCEEDED', startedAt: 7, durationMillis: 2 },
        ],
        actions: [],
      },
    ]);
  });

  it('places an unfinished action whose name is known, here because another one has it', () => {
    const tree = buildTraceTree(
      toRecords({
        actions: [
          actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0 }),
          actionRecord({ actionId: second, parentActionId: first, name: 'second', ordinal: 1 }),
        ],
        calls: [callRecord({ actionId: third, slot: 'ask#0', status: 'PENDING', ordinal: 3, startedAt: 40 })],
        events: {
          [first]: [
            { type: 'x', text: '{}' },
            { type: 'x', text: '{}' },
          ],
          [second]: [{ type: 'y', text: '{}' }],
        },
      }),
    );
    expect(tree.unplaced).toEqual([]);
    expect(tree.actions[0]?.actions[0]?.actions).toEqual([
      {
        actionId: third,
        name: 'first',
        status: 'UNFINISHED',
        trigger: { type: 'y', eventId: eventIdOf(second, 0) },
        calls: [{ id: 'ask', occurrence: 1, kind: 'call', status: 'PENDING', startedAt: 40 }],
        actions: [],
      },
    ]);
  });

  it('names and places an unfinished action by the calls it has recorded', () => {
    const calls = [callRecord({ actionId: first, slot: 'ask#0', status: 'SUCCEEDED', ordinal: 1, endedAt: 3 })];
    const tree = buildTraceTree(toRecords({ calls }));
    expect(tree).toMatchObject({ unplaced: [], actions: [{ actionId: first, name: 'first', status: 'UNFINISHED' }] });
  });

  it('shows an action whose parent is not recorded', () => {
    const records = toRecords({
      actions: [actionRecord({ actionId: second, parentActionId: first, name: 'second', ordinal: 4 })],
    });
    expect(buildTraceTree(records)).toMatchObject({ actions: [], unplaced: [{ actionId: second, name: 'second' }] });
  });

  it('leaves the events out that could not be read', () => {
    const records = toRecords({
      actions: [actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0 })],
    });
    expect(buildTraceTree(records).actions[0]).not.toHaveProperty('events');
  });

  it('bounds previews', () => {
    const text = JSON.stringify({ text: 'x'.repeat(10_000) });
    const tree = buildTraceTree({
      ...toRecords({
        actions: [actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0 })],
        events: {
          [first]: [
            { type: 'a', text },
            { type: '_output_event', text: `{"output":${text}}` },
          ],
        },
      }),
      inputText: text,
    });
    const previews = [tree.run.input, ...(tree.actions[0]?.events ?? []).map(({ preview }) => preview)];
    expect(previews.map((preview) => preview?.length)).toEqual([200, 200, 200]);
    expect(previews.every((preview) => preview?.endsWith('x…'))).toBe(true);
  });
});

describe('the run', () => {
  it('has its times, its input and its error', () => {
    const error = encodeThrown(new RangeError('too far'));
    const run = runRecord({ status: 'FAILED', error, key: 'k', attempts: 2, redrives: 1, hops: 3, dueAt: 99 });
    const records = toRecords({
      actions: [actionRecord({ actionId: first, parentActionId: root, name: 'first', ordinal: 0, endedAt: 30 })],
      calls: [callRecord({ actionId: first, slot: 'a#0', status: 'PENDING', ordinal: 1, startedAt: 41 })],
    });
    expect(buildTraceTree({ ...records, run, inputText: '{"a":1}' }).run).toEqual({
      runId: 'r1',
      agent: 'agent',
      key: 'k',
      status: 'FAILED',
      attempts: 2,
      redrives: 1,
      hops: 3,
      createdAt: 0,
      lastRecordAt: 41,
      error: { name: 'RangeError', message: 'too far' },
      input: '{"a":1}',
    });
  });

  it('shows when it is looked at again while it has not finished', () => {
    expect(buildTraceTree(toRecords({ run: runRecord({ status: 'RUNNING', dueAt: 99 }) })).run.dueAt).toBe(99);
  });

  it('does not show the error of an attempt that a completed run has overcome', () => {
    const run = runRecord({ status: 'COMPLETED', error: encodeThrown(new Error('before')) });
    expect(buildTraceTree(toRecords({ run })).run).not.toHaveProperty('error');
  });
});
