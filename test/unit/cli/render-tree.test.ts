import { expect, it } from 'vitest';
import { renderTraceTree } from '../../../lib/cli/render-tree.ts';
import type { TraceAction, TraceRun, TraceTree } from '../../../lib/cli/trace-model.ts';

const began = Date.UTC(2026, 0, 2, 3, 4, 5);

const run = (members: Partial<TraceRun> = {}): TraceRun => ({
  runId: 'r1',
  agent: 'code_review',
  status: 'COMPLETED',
  attempts: 1,
  redrives: 0,
  hops: 0,
  createdAt: began,
  ...members,
});

const action = (members: Partial<TraceAction> = {}): TraceAction => ({
  actionId: 'id',
  name: 'delegate',
  status: 'FINISHED',
  events: [],
  calls: [],
  actions: [],
  ...members,
});

const output = (preview: string) => ({ eventId: 'e', type: '_output_event', isOutput: true, preview });

const tree: TraceTree = {
  run: run({ key: 'pr-7', lastRecordAt: began + 2_130, input: '{"diff":"…"}' }),
  actions: [
    action({
      trigger: { eventId: 'e0', type: '_input_event' },
      startedAt: began + 12,
      durationMillis: 820,
      calls: [
        { id: 'fetch', occurrence: 1, kind: 'call', status: 'SUCCEEDED', startedAt: began + 20, durationMillis: 120 },
        {
          id: 'fetch',
          occurrence: 2,
          kind: 'call',
          status: 'FAILED',
          startedAt: began + 150,
          durationMillis: 1_500,
          error: { name: 'TypeError', message: 'not\nfound' },
        },
      ],
      events: [
        { eventId: 'e1', type: 'order.created', isOutput: false, preview: '{"id":"1"}' },
        output('{"review":[]}'),
      ],
      actions: [
        action({
          name: 'audit',
          trigger: { eventId: 'e1', type: 'order.created' },
          startedAt: began + 900,
          durationMillis: 3,
          events: [output('"audited"')],
        }),
        action({
          name: 'bill',
          status: 'UNFINISHED',
          trigger: { eventId: 'e1', type: 'order.created' },
          calls: [{ id: 'pay', occurrence: 1, kind: 'call', status: 'PENDING', startedAt: began + 950 }],
        }),
      ],
    }),
  ],
  unplaced: [action({ name: 'lost', status: 'UNFINISHED' })],
};

it('draws what happened', () => {
  expect(`\n${renderTraceTree(tree)}\n`).toBe(`
run r1  COMPLETED
agent code_review, key pr-7, attempts 1, redrives 0, hops 0
began 2026-01-02T03:04:05.000Z, last record after 2.13 s
input {"diff":"…"}
├─ delegate on _input_event  +12 ms  820 ms
│  ├─ call fetch  SUCCEEDED  +20 ms  120 ms
│  ├─ call fetch (2)  FAILED  +150 ms  1.50 s  TypeError: not found
│  ├─ sent order.created {"id":"1"}
│  ├─ output {"review":[]}
│  ├─ audit on order.created  +900 ms  3 ms
│  │  └─ output "audited"
│  └─ bill on order.created  UNFINISHED
│     └─ call pay  PENDING  +950 ms
└─ lost  UNFINISHED
`);
});

it('draws a run that has nothing recorded yet', () => {
  const waiting = run({ status: 'RUNNING', attempts: 0, dueAt: began + 60_000 });
  expect(`\n${renderTraceTree({ run: waiting, actions: [], unplaced: [] })}\n`).toBe(`
run r1  RUNNING
agent code_review, attempts 0, redrives 0, hops 0
began 2026-01-02T03:04:05.000Z, nothing recorded yet, looked at again at 2026-01-02T03:05:05.000Z
`);
});

it('counts times to come from now, where that is given', () => {
  const until = began + 90_000;
  const suspended = run({ status: 'SUSPENDED', waitsFor: [{ kind: 'sleep', name: 'a\u001bb', until }] });
  const lineOf = (options: object) =>
    renderTraceTree({ run: suspended, actions: [], unplaced: [] }, options).split('\n')[3];
  expect(lineOf({})).toBe('waits for sleep a\\u001bb until 2026-01-02T03:05:35.000Z');
  expect(lineOf({ now: began })).toBe('waits for sleep a\\u001bb until 2026-01-02T03:05:35.000Z (in 1 min 30 s)');
  expect(lineOf({ now: until })).toBe('waits for sleep a\\u001bb until 2026-01-02T03:05:35.000Z (now)');
});

it('tells the error that ended a run from that of its last attempt', () => {
  const error = { name: 'Error', message: 'no answer' };
  const lineOf = (status: TraceRun['status']) =>
    renderTraceTree({ run: run({ status, error }), actions: [], unplaced: [] }).split('\n')[3];
  expect(['FAILED', 'BLOCKED', 'RUNNING', 'CANCELLED'].map((status) => lineOf(status as TraceRun['status']))).toEqual([
    'Error: no answer',
    'Error: no answer',
    'last error Error: no answer',
    'last error Error: no answer',
  ]);
});

it('says that events cannot be read', () => {
  const { events: _, ...unreadable } = action();
  const text = renderTraceTree({ run: run(), actions: [unreadable], unplaced: [] });
  expect(text).toMatch(/└─ delegate\n {3}└─ its events cannot be read$/);
});

it('cuts lines to the terminal', () => {
  const lines = renderTraceTree(tree, { columns: 30 }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBe(30);
  expect(lines).toContain('│  ├─ call fetch (2)  FAILED …');
});

it('has colours where they are shown, and the same text without them', () => {
  const coloured = renderTraceTree(tree, { colour: true });
  expect(coloured).toContain('\u001b[31m│  ├─ call fetch (2)  FAILED  +150 ms  1.50 s  TypeError: not found\u001b[39m');
  expect(coloured).toContain('\u001b[33m│     └─ call pay  PENDING  +950 ms\u001b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a colour begins
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(renderTraceTree(tree));
});
