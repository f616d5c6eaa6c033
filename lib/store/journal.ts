import type { Item } from '../ports/item-store.ts';
import { fromAttributes, toAttributes } from './attributes.ts';
import { ACTION_PREFIX, actionKey, CALL_PREFIX, callKey, SIGNAL_PREFIX, signalKey } from './keys.ts';
import { NO_POLLS, type Polls, toPolls } from './poll-records.ts';
import type { StoredText } from './stored-text.ts';

/** What was asked for: `durableExecute`, `sleep`, `waitForSignal`, `submit` of a sub-agent. */
export type CallKind = 'call' | 'sleep' | 'signal' | 'subagent';
/** CANCELLED: a sub-agent's call that was given up before its answer was recorded. */
export type CallStatus = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** Where an outcome stands in the order in which the run first saw its facts. */
export interface Position {
  /** Epoch of the drive that recorded the outcome. */
  readonly epoch: number;
  /** Position among the outcomes of that drive. */
  readonly position: number;
}

interface JournalFact {
  /** Place of the start in the order of the run's starts. */
  readonly ordinal: number;
  /** Finished actions before the action of this fact first started: the memory it saw. */
  readonly view: number;
  /** Token of the driver that wrote it. */
  readonly writer: string;
  readonly startedAt: number;
}

/** The record of one durable call. */
export interface CallRecord extends JournalFact, StoredText, Partial<Position> {
  readonly actionId: string;
  /** Names its action for readers, also before that has a record of its own. */
  readonly actionName: string;
  /** Encoded id and occurrence: `slotName`. */
  readonly slot: string;
  readonly status: CallStatus;
  readonly kind: CallKind;
  readonly argsDigest?: string;
  readonly endedAt?: number;
  /** Of a PENDING call that is to be repeated: how often it was made. */
  readonly callsMade?: number;
  /** Of a wait, also before a repetition: when it ends by itself, milliseconds since 1970. */
  readonly until?: number;
  /** Of a wait for a signal: the name, and the sequence number of the one that ended it. */
  readonly signalName?: string;
  readonly signalSequence?: string;
  /** Of a sub-agent's call: what a message that completes it must show. */
  readonly token?: string;
  /** Of a sub-agent's call: the interval that it is polled with. */
  readonly intervalMillis?: number;
  /** Why a PENDING call of a sub-agent cannot be followed any more. `redrive` clears it. */
  readonly fault?: string;
}

/** A signal that arrived, perhaps before anybody waits for it. */
export interface SignalRecord extends StoredText {
  readonly name: string;
  /** Sequence number of its message, padded: signals of a name are taken in this order. */
  readonly sequence: string;
  /** When it was first recorded, milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** The record of a finished action. Its text holds the emitted events and the memory writes. */
export interface ActionRecord extends JournalFact, StoredText, Position {
  readonly actionId: string;
  readonly name: string;
  readonly parentActionId: string;
  /** Id of the event that started it. */
  readonly triggerEventId: string;
  /** Names of the actions that led here, for readers. */
  readonly path: string;
  readonly endedAt: number;
}

/** Everything recorded of a run, by slot and by action. */
export interface Journal {
  readonly calls: ReadonlyMap<string, CallRecord>;
  readonly actions: ReadonlyMap<string, ActionRecord>;
  /** Signals in the order in which they are taken. */
  readonly signals: readonly SignalRecord[];
  readonly polls: Polls;
}

export const EMPTY_JOURNAL: Journal = { calls: new Map(), actions: new Map(), signals: [], polls: NO_POLLS };

/** Name of a call's slot in the journal: no action id holds a `#`. */
export const journalSlot = (actionId: string, slot: string): string => `${actionId}#${slot}`;

/** The reverse; `undefined` for a text that names no slot. */
export function parseJournalSlot(name: string): { readonly actionId: string; readonly slot: string } | undefined {
  const [, actionId, slot] = /^([A-Za-z0-9_-]{22})#(.+#[0-9]+)$/.exec(name) ?? [];
  return actionId === undefined || slot === undefined ? undefined : { actionId, slot };
}

/** Stored names, part of the journal's format. */
const CALL_ATTRIBUTES = {
  actionId: 'ai',
  actionName: 'nm',
  slot: 'sl',
  status: 'st',
  kind: 'kd',
  argsDigest: 'ad',
  ordinal: 'or',
  view: 'vw',
  epoch: 'e',
  position: 'n',
  writer: 'tk',
  text: 'val',
  reference: 'ref',
  startedAt: 'sa',
  endedAt: 'ea',
  until: 'wu',
  callsMade: 'ra',
  signalName: 'sn',
  signalSequence: 'sg',
  token: 'ct',
  intervalMillis: 'iv',
  fault: 'fl',
} as const satisfies Record<keyof CallRecord, string>;

const ACTION_ATTRIBUTES = {
  actionId: 'ai',
  name: 'nm',
  parentActionId: 'pa',
  triggerEventId: 'te',
  path: 'pt',
  ordinal: 'or',
  view: 'vw',
  epoch: 'e',
  position: 'n',
  writer: 'tk',
  text: 'val',
  reference: 'ref',
  startedAt: 'sa',
  endedAt: 'ea',
} as const satisfies Record<keyof ActionRecord, string>;

const SIGNAL_ATTRIBUTES = {
  name: 'sn',
  sequence: 'sq',
  arrivedAt: 'aa',
  text: 'val',
  reference: 'ref',
} as const satisfies Record<keyof SignalRecord, string>;

/** The changed members of a call record, under their stored names. */
export const toCallAttributes = (members: Partial<CallRecord>): Record<string, string | number> =>
  toAttributes(CALL_ATTRIBUTES, members);

export const toCallItem = (runId: string, record: CallRecord, ttl: number): Item => ({
  ...callKey(runId, record.actionId, record.slot),
  ...toCallAttributes(record),
  ttl,
});

export const fromCallItem = (item: Item): CallRecord => fromAttributes(CALL_ATTRIBUTES, item) as unknown as CallRecord;

export const toActionItem = (runId: string, record: ActionRecord, ttl: number): Item => ({
  ...actionKey(runId, record.actionId),
  ...toAttributes(ACTION_ATTRIBUTES, record),
  ttl,
});

export const fromActionItem = (item: Item): ActionRecord =>
  fromAttributes(ACTION_ATTRIBUTES, item) as unknown as ActionRecord;

export const toSignalItem = (runId: string, record: SignalRecord, ttl: number): Item => ({
  ...signalKey(runId, record.name, record.sequence),
  ...toAttributes(SIGNAL_ATTRIBUTES, record),
  ttl,
});

const fromSignalItem = (item: Item): SignalRecord => fromAttributes(SIGNAL_ATTRIBUTES, item) as unknown as SignalRecord;

/** Sorts the items of a run's partition into its journal. */
export function toJournal(items: readonly Item[]): Journal {
  const calls = new Map<string, CallRecord>();
  const actions = new Map<string, ActionRecord>();
  const signals: SignalRecord[] = [];
  for (const item of items) {
    if (item.sk.startsWith(CALL_PREFIX)) {
      const record = fromCallItem(item);
      calls.set(journalSlot(record.actionId, record.slot), record);
    } else if (item.sk.startsWith(ACTION_PREFIX)) {
      const record = fromActionItem(item);
      actions.set(record.actionId, record);
    } else if (item.sk.startsWith(SIGNAL_PREFIX)) {
      signals.push(fromSignalItem(item));
    }
  }
  signals.sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  return { calls, actions, signals, polls: toPolls(items) };
}
