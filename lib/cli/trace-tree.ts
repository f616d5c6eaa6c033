import { EventType } from '../events/event.ts';
import type { EmittedEvent } from '../runner/action-body.ts';
import { actionIdOf, eventIdOf, rootActionId } from '../runner/run-ids.ts';
import { type ActionRecord, type CallRecord, type CallStatus, type Journal, journalSlot } from '../store/journal.ts';
import { decodeKeyPart } from '../store/keys.ts';
import type { RunRecord, RunStatus } from '../store/run-record.ts';
import { decodeThrown, describeThrown } from '../values/error-codec.ts';
import { decodeValue } from '../values/value-codec.ts';
import { oneLine, shorten } from './plain-text.ts';

/** What the store holds of a run. */
export interface TraceRecords {
  readonly run: RunRecord;
  readonly journal: Journal;
  /** Stored form of the input; `undefined`: it is not at hand. */
  readonly inputText: string | undefined;
  /** Events of the finished actions by action id; one without an entry could not be read. */
  readonly events: ReadonlyMap<string, readonly EmittedEvent[]>;
  /** Stored errors of the FAILED calls by `journalSlot`. */
  readonly thrown: ReadonlyMap<string, string>;
  /** Names of actions that the agent has, which name an unfinished one. @default those of the finished actions */
  readonly actionNames?: readonly string[];
}

/** What happened in a run, as a tree. */
export interface TraceTree {
  readonly run: TraceRun;
  /** What the input started. */
  readonly actions: readonly TraceAction[];
  /** Unfinished actions whose place is not known before they finish, and what else has no parent. */
  readonly unplaced: readonly TraceAction[];
}

export interface TraceError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

export interface TraceRun {
  readonly runId: string;
  readonly agent: string;
  readonly key?: string;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly redrives: number;
  readonly hops: number;
  readonly createdAt: number;
  /** When the last record was written. */
  readonly lastRecordAt?: number;
  /** When somebody looks at an unfinished run again. */
  readonly dueAt?: number;
  /** Of a FAILED or BLOCKED run, else of its last failed attempt. */
  readonly error?: TraceError;
  /** The beginning of the input as JSON. */
  readonly input?: string;
}

export interface TraceEvent {
  readonly eventId: string;
  readonly type: string;
  readonly isOutput: boolean;
  /** The beginning of the output, or of the attributes, as JSON. */
  readonly preview: string;
}

export interface TraceCall {
  readonly id: string;
  /** Which call of the action with this id, from 1. */
  readonly occurrence: number;
  readonly kind: string;
  readonly status: CallStatus;
  readonly startedAt: number;
  /** Absent while it is PENDING. */
  readonly durationMillis?: number;
  readonly error?: TraceError;
}

export interface TraceAction {
  readonly actionId: string;
  /** Absent for an unfinished action whose name is not recorded yet. */
  readonly name?: string;
  readonly status: 'FINISHED' | 'UNFINISHED';
  /** The event that started it. */
  readonly trigger?: { readonly eventId: string; readonly type: string };
  readonly startedAt?: number;
  readonly durationMillis?: number;
  /** Absent: not readable, or not finished. */
  readonly events?: readonly TraceEvent[];
  readonly calls: readonly TraceCall[];
  readonly actions: readonly TraceAction[];
}

/** Longest preview in characters. */
const PREVIEW_LENGTH = 200;

/** Builds the tree of a run from its records. */
export function buildTraceTree(records: TraceRecords): TraceTree {
  return new TreeBuilder(records).build();
}

/** Where an action was started. */
interface Place {
  readonly parentActionId: string;
  readonly trigger: { readonly eventId: string; readonly type: string };
  readonly name: string;
}

class TreeBuilder {
  private readonly records: TraceRecords;
  private readonly rootId: string;
  private readonly callsByAction: ReadonlyMap<string, readonly CallRecord[]>;
  private readonly childrenByParent = new Map<string, string[]>();
  private readonly places = new Map<string, Place>();

  constructor(records: TraceRecords) {
    this.records = records;
    this.rootId = rootActionId(records.run.runId);
    this.callsByAction = Map.groupBy(records.journal.calls.values(), ({ actionId }) => actionId);
  }

  build(): TraceTree {
    const { actions } = this.records.journal;
    const actionIds = new Set([...actions.keys(), ...this.callsByAction.keys()]);
    this.findPlaces(actionIds);
    const unplaced: string[] = [];
    for (const actionId of [...actionIds].toSorted((a, b) => this.ordinalOf(a) - this.ordinalOf(b))) {
      const parent = actions.get(actionId)?.parentActionId ?? this.places.get(actionId)?.parentActionId;
      if (parent === undefined || !(parent === this.rootId || actions.has(parent))) unplaced.push(actionId);
      else this.childrenByParent.set(parent, [...(this.childrenByParent.get(parent) ?? []), actionId]);
    }
    return {
      run: this.runOf(),
      actions: this.childrenOf(this.rootId),
      unplaced: unplaced.map((actionId) => this.actionOf(actionId)),
    };
  }

  /** An action's id is a digest of its parent, the event's place and its name: with these at hand, an unfinished one has a place. */
  private findPlaces(actionIds: ReadonlySet<string>): void {
    const { journal, events, actionNames = [] } = this.records;
    const names = new Set([...actionNames, ...Array.from(journal.actions.values(), ({ name }) => name)]);
    const parents: [string, readonly Pick<EmittedEvent, 'type'>[]][] = [
      [this.rootId, [{ type: EventType.InputEvent }]],
      ...events,
    ];
    for (const [parentActionId, emitted] of parents) {
      emitted.forEach(({ type }, emission) => {
        for (const name of names) {
          const actionId = actionIdOf(parentActionId, emission, name);
          const trigger = { eventId: eventIdOf(parentActionId, emission), type };
          if (actionIds.has(actionId)) this.places.set(actionId, { parentActionId, trigger, name });
        }
      });
    }
  }

  private ordinalOf(actionId: string): number {
    const calls = this.callsByAction.get(actionId) ?? [];
    return this.records.journal.actions.get(actionId)?.ordinal ?? Math.min(...calls.map(({ ordinal }) => ordinal));
  }

  private childrenOf(parentActionId: string): readonly TraceAction[] {
    return (this.childrenByParent.get(parentActionId) ?? []).map((actionId) => this.actionOf(actionId));
  }

  private actionOf(actionId: string): TraceAction {
    const record = this.records.journal.actions.get(actionId);
    const place = this.places.get(actionId);
    const name = record?.name ?? place?.name;
    const events = this.records.events.get(actionId);
    return {
      actionId,
      ...(name === undefined ? {} : { name }),
      status: record === undefined ? 'UNFINISHED' : 'FINISHED',
      ...(place === undefined ? {} : { trigger: place.trigger }),
      ...(record === undefined ? {} : timesOf(record)),
      ...(events === undefined ? {} : { events: events.map((event, emission) => eventOf(event, actionId, emission)) }),
      calls: this.callsOf(actionId),
      actions: this.childrenOf(actionId),
    };
  }

  private callsOf(actionId: string): readonly TraceCall[] {
    const calls = this.callsByAction.get(actionId) ?? [];
    return calls
      .toSorted((a, b) => a.ordinal - b.ordinal)
      .map((call) => callOf(call, this.records.thrown.get(journalSlot(actionId, call.slot))));
  }

  private runOf(): TraceRun {
    const { run, journal, inputText } = this.records;
    const { runId, agent, key, status, attempts, redrives, hops, createdAt, dueAt, error } = run;
    const written = [...journal.actions.values(), ...journal.calls.values()].map(
      (fact) => fact.endedAt ?? fact.startedAt,
    );
    const isOver = status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';
    return {
      runId,
      agent,
      ...(key === undefined ? {} : { key }),
      status,
      attempts,
      redrives,
      hops,
      createdAt,
      ...(written.length === 0 ? {} : { lastRecordAt: Math.max(...written) }),
      ...(dueAt === undefined || isOver ? {} : { dueAt }),
      ...(error === undefined || status === 'COMPLETED' ? {} : { error: describeThrown(decodeThrown(error)) }),
      ...(inputText === undefined ? {} : { input: preview(inputText) }),
    };
  }
}

const timesOf = ({ startedAt, endedAt }: ActionRecord) => ({ startedAt, durationMillis: endedAt - startedAt });

function eventOf({ type, text }: EmittedEvent, actionId: string, emission: number): TraceEvent {
  const isOutput = type === EventType.OutputEvent;
  const shown = isOutput ? JSON.stringify((decodeValue(text) as { readonly output: unknown }).output) : text;
  return { eventId: eventIdOf(actionId, emission), type, isOutput, preview: preview(shown) };
}

function callOf(call: CallRecord, thrown: string | undefined): TraceCall {
  const [id = '', occurrence = '0'] = call.slot.split('#');
  return {
    id: decodeKeyPart(id),
    occurrence: Number(occurrence) + 1,
    kind: call.kind,
    status: call.status,
    startedAt: call.startedAt,
    ...(call.endedAt === undefined ? {} : { durationMillis: call.endedAt - call.startedAt }),
    ...(thrown === undefined ? {} : { error: describeThrown(decodeThrown(thrown)) }),
  };
}

const preview = (json: string): string => oneLine(shorten(json, PREVIEW_LENGTH));
