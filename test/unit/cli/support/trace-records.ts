import type { TraceRecords } from '../../../../lib/cli/trace-model.ts';
import type { EmittedEvent } from '../../../../lib/runner/engine/action-body.ts';
import { type ActionRecord, type CallRecord, EMPTY_JOURNAL, journalSlot } from '../../../../lib/store/journal.ts';
import type { RunRecord } from '../../../../lib/store/run-record.ts';

/** Run "r1", which began at 0. */
export const runRecord = (members: Partial<RunRecord> = {}): RunRecord => ({
  runId: 'r1',
  agent: 'agent',
  status: 'COMPLETED',
  epoch: 1,
  wakeCount: 0,
  attempts: 1,
  factsAtClaim: 0,
  redrives: 0,
  digest: 'digest',
  sequence: '1',
  hops: 0,
  createdAt: 0,
  ttl: 1_000,
  ...members,
});

export const actionRecord = (
  members: Pick<ActionRecord, 'actionId' | 'parentActionId' | 'name' | 'ordinal'> & Partial<ActionRecord>,
): ActionRecord => ({
  triggerEventId: 'event',
  path: members.name,
  view: 0,
  writer: 'driver',
  epoch: 1,
  position: 0,
  startedAt: 0,
  endedAt: 10,
  text: '{}',
  ...members,
});

export const callRecord = (
  members: Pick<CallRecord, 'actionId' | 'slot' | 'status' | 'ordinal'> & Partial<CallRecord>,
): CallRecord => ({ actionName: 'first', kind: 'call', view: 0, writer: 'driver', startedAt: 0, ...members });

export function toRecords(parts: {
  readonly run?: RunRecord;
  readonly actions?: readonly ActionRecord[];
  readonly calls?: readonly CallRecord[];
  readonly events?: Readonly<Record<string, readonly EmittedEvent[]>>;
  readonly thrown?: Readonly<Record<string, string>>;
}): TraceRecords {
  const { run = runRecord(), actions = [], calls = [], events = {}, thrown = {} } = parts;
  return {
    run,
    journal: {
      signals: [],
      polls: EMPTY_JOURNAL.polls,
      actions: new Map(actions.map((action) => [action.actionId, action])),
      calls: new Map(calls.map((call) => [journalSlot(call.actionId, call.slot), call])),
    },
    inputText: undefined,
    events: new Map(Object.entries(events)),
    thrown: new Map(Object.entries(thrown)),
  };
}
