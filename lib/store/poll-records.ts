import type { Item } from '../ports/item-store.ts';
import { fromAttributes, toAttributes } from './attributes.ts';
import { isPollItem, pollEntryKey, pollKey } from './keys.ts';
import type { StoredText } from './stored-text.ts';

/** The poller of a run's calls with one interval. */
export interface PollRecord {
  readonly intervalMillis: number;
  /** Its executions so far: each has a name of its own. */
  readonly generation: number;
  /** Raised by whoever adds calls, so that a poller that has seen none left does not end under them. */
  readonly version: number;
  /** 1: an execution may be counted on. */
  readonly on?: number;
  /** Generations in a row that died without a word. */
  readonly dead?: number;
  /** The last generation that wrote that it ended. */
  readonly endedGeneration?: number;
  /** 1: the run has ended. */
  readonly closed?: number;
}

/** One call of a sub-agent that the remote has taken: this record says so. The call itself is PENDING in the journal. */
export interface PollEntry {
  readonly intervalMillis: number;
  /** Ordinal of the call in its run. */
  readonly ordinal: number;
  readonly agent: string;
  /** Name of the sub-agent in the agent's plan. */
  readonly subagent: string;
  readonly actionId: string;
  readonly slot: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly token: string;
  /** The prompt, in its stored form. */
  readonly prompt: StoredText;
  /** When the remote had taken it, milliseconds since 1970. */
  readonly startedAt: number;
  /** Probes in a row that failed. */
  readonly failures?: number;
  /** After a failure: no probe before this time. */
  readonly nextAt?: number;
  /** Since when the remote says that it does not know the job. */
  readonly notStartedSince?: number;
  /** 1: it was submitted once more. */
  readonly resubmitted?: number;
  /** 1: nobody follows it until `redrive`. */
  readonly faulted?: number;
}

/** Everything about the async calls of a run. */
export interface Polls {
  /** By interval. */
  readonly records: ReadonlyMap<number, PollRecord>;
  /** By ordinal. */
  readonly entries: ReadonlyMap<number, PollEntry>;
}

export const NO_POLLS: Polls = { records: new Map(), entries: new Map() };

/** Stored names, part of the journal's format. */
const RECORD_ATTRIBUTES = {
  intervalMillis: 'iv',
  generation: 'g',
  version: 'v',
  on: 'on',
  dead: 'dd',
  endedGeneration: 'er',
  closed: 'cl',
} as const satisfies Record<keyof PollRecord, string>;

const ENTRY_ATTRIBUTES = {
  intervalMillis: 'iv',
  ordinal: 'or',
  agent: 'ag',
  subagent: 'sb',
  actionId: 'ai',
  slot: 'sl',
  sessionId: 'si',
  callId: 'ci',
  token: 'ct',
  startedAt: 'sa',
  failures: 'pf',
  nextAt: 'nx',
  notStartedSince: 'ns',
  resubmitted: 'rp',
  faulted: 'ft',
} as const satisfies Record<Exclude<keyof PollEntry, 'prompt'>, string>;

/** What changes of an entry. */
export type EntryState = Pick<PollEntry, 'failures' | 'nextAt' | 'notStartedSince' | 'resubmitted' | 'faulted'>;

/** The stored name of a member that changes. */
export const entryAttribute = (name: keyof EntryState): string => ENTRY_ATTRIBUTES[name];

export const toPollEntryItem = (runId: string, entry: PollEntry, ttl: number): Item => {
  const { prompt, ...members } = entry;
  return {
    ...pollEntryKey(runId, entry.intervalMillis, entry.ordinal),
    ...toAttributes(ENTRY_ATTRIBUTES, members),
    ...(prompt.text === undefined ? {} : { val: prompt.text }),
    ...(prompt.reference === undefined ? {} : { ref: prompt.reference }),
    ttl,
  };
};

export const toPollRecordItem = (runId: string, record: PollRecord, ttl: number): Item => ({
  ...pollKey(runId, record.intervalMillis),
  ...toAttributes(RECORD_ATTRIBUTES, record),
  ttl,
});

export const fromPollRecordItem = (item: Item): PollRecord =>
  fromAttributes(RECORD_ATTRIBUTES, item) as unknown as PollRecord;

const fromPollEntryItem = (item: Item): PollEntry =>
  ({
    ...fromAttributes(ENTRY_ATTRIBUTES, item),
    prompt: {
      ...(item.val === undefined ? {} : { text: String(item.val) }),
      ...(item.ref === undefined ? {} : { reference: String(item.ref) }),
    },
  }) as unknown as PollEntry;

/** Sorts the items of a run's partition into what is known of its async calls. */
export function toPolls(items: readonly Item[]): Polls {
  const records = new Map<number, PollRecord>();
  const entries = new Map<number, PollEntry>();
  for (const item of items) {
    if (!isPollItem(item)) continue;
    if (item.or === undefined) records.set(Number(item.iv), fromPollRecordItem(item));
    else entries.set(Number(item.or), fromPollEntryItem(item));
  }
  return { records, entries };
}

/** Entries whose calls are still followed. */
export const openEntries = ({ entries }: Polls): readonly PollEntry[] =>
  [...entries.values()].filter(({ faulted }) => faulted === undefined);
