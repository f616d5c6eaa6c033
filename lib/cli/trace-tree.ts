import { EventType } from '../events/event.ts';
import type { EmittedEvent } from '../runner/engine/action-body.ts';
import { actionIdOf, eventIdOf, rootActionId } from '../runner/run-ids.ts';
import { type ActionRecord, type CallRecord, journalSlot } from '../store/journal.ts';
import { decodeKeyPart } from '../store/keys.ts';
import { isFinal } from '../store/run-record.ts';
import { decodeValue } from '../values/value-codec.ts';
import { pendingWaits } from './pending-waits.ts';
import { oneLine, shorten } from './plain-text.ts';
import { describeStored } from './stored-error.ts';
import type { TraceAction, TraceCall, TraceEvent, TraceRecords, TraceRun, TraceTree } from './trace-model.ts';

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
}

class TreeBuilder {
  readonly #records: TraceRecords;
  readonly #rootId: string;
  readonly #callsByAction: ReadonlyMap<string, readonly CallRecord[]>;
  #children: ReadonlyMap<string | undefined, readonly string[]> = new Map();
  readonly #places = new Map<string, Place>();

  constructor(records: TraceRecords) {
    this.#records = records;
    this.#rootId = rootActionId(records.run.runId);
    this.#callsByAction = Map.groupBy(records.journal.calls.values(), ({ actionId }) => actionId);
  }

  build(): TraceTree {
    const actionIds = new Set([...this.#records.journal.actions.keys(), ...this.#callsByAction.keys()]);
    this.#findPlaces(actionIds);
    const inOrder = [...actionIds].toSorted((a, b) => this.#ordinalOf(a) - this.#ordinalOf(b));
    this.#children = Map.groupBy(inOrder, (actionId) => this.#parentOf(actionId));
    return { run: this.#runOf(), actions: this.#childrenOf(this.#rootId), unplaced: this.#childrenOf(undefined) };
  }

  /** `undefined`: not known. */
  #parentOf(actionId: string): string | undefined {
    const { actions } = this.#records.journal;
    const parent = actions.get(actionId)?.parentActionId ?? this.#places.get(actionId)?.parentActionId;
    return parent === this.#rootId || (parent !== undefined && actions.has(parent)) ? parent : undefined;
  }

  /** An action's id is a digest of its parent, the event's place and its name: with these at hand, an unfinished one has a place. */
  #findPlaces(actionIds: ReadonlySet<string>): void {
    const { journal, events } = this.#records;
    const names = new Set([...Array.from(journal.actions.values(), ({ name }) => name), ...this.#callNames()]);
    const parents: [string, readonly Pick<EmittedEvent, 'type'>[]][] = [
      [this.#rootId, [{ type: EventType.InputEvent }]],
      ...events,
    ];
    for (const [parentActionId, emitted] of parents) {
      emitted.forEach(({ type }, emission) => {
        for (const name of names) {
          const actionId = actionIdOf(parentActionId, emission, name);
          const trigger = { eventId: eventIdOf(parentActionId, emission), type };
          if (actionIds.has(actionId)) this.#places.set(actionId, { parentActionId, trigger });
        }
      });
    }
  }

  #callNames(): readonly string[] {
    return Array.from(this.#records.journal.calls.values(), ({ actionName }) => actionName);
  }

  #ordinalOf(actionId: string): number {
    const calls = this.#callsByAction.get(actionId) ?? [];
    return this.#records.journal.actions.get(actionId)?.ordinal ?? Math.min(...calls.map(({ ordinal }) => ordinal));
  }

  #childrenOf(parentActionId: string | undefined): readonly TraceAction[] {
    return (this.#children.get(parentActionId) ?? []).map((actionId) => this.#actionOf(actionId));
  }

  #actionOf(actionId: string): TraceAction {
    const record = this.#records.journal.actions.get(actionId);
    const place = this.#places.get(actionId);
    const name = record?.name ?? this.#callsByAction.get(actionId)?.[0]?.actionName ?? '';
    const events = this.#records.events.get(actionId);
    return {
      actionId,
      name,
      status: record === undefined ? 'UNFINISHED' : 'FINISHED',
      ...(place === undefined ? {} : { trigger: place.trigger }),
      ...(record === undefined ? {} : timesOf(record)),
      ...(events === undefined ? {} : { events: events.map((event, emission) => eventOf(event, actionId, emission)) }),
      calls: this.#callsOf(actionId),
      actions: this.#childrenOf(actionId),
    };
  }

  #callsOf(actionId: string): readonly TraceCall[] {
    const calls = this.#callsByAction.get(actionId) ?? [];
    return calls
      .toSorted((a, b) => a.ordinal - b.ordinal)
      .map((call) => callOf(call, this.#records.thrown.get(journalSlot(actionId, call.slot))));
  }

  #runOf(): TraceRun {
    const { run, journal, inputText } = this.#records;
    const { runId, agent, key, status, attempts, redrives, hops, createdAt, dueAt, error } = run;
    const facts = [...journal.actions.values(), ...journal.calls.values()];
    const lastRecordAt = facts.reduce((last, fact) => Math.max(last, fact.endedAt ?? fact.startedAt), 0);
    return {
      runId,
      agent,
      ...(key === undefined ? {} : { key }),
      status,
      attempts,
      redrives,
      hops,
      createdAt,
      ...(facts.length === 0 ? {} : { lastRecordAt }),
      ...(status === 'SUSPENDED' ? { waitsFor: pendingWaits(journal) } : {}),
      ...(dueAt === undefined || isFinal(status) ? {} : { dueAt }),
      ...(error === undefined || status === 'COMPLETED' ? {} : { error: describeStored(error) }),
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
    ...(call.until === undefined ? {} : { until: call.until }),
    ...(thrown === undefined ? {} : { error: describeStored(thrown) }),
  };
}

const preview = (json: string): string => oneLine(shorten(json, PREVIEW_LENGTH));
