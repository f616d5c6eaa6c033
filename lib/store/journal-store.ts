import type { Condition, Item, ItemChange, ItemStore } from '../ports/item-store.ts';
import { absent, all, any, below, equal, exists, isNew } from './conditions.ts';
import {
  type ActionRecord,
  type CallRecord,
  type CallStatus,
  fromActionItem,
  fromCallItem,
  type Journal,
  type Position,
  type SignalRecord,
  toActionItem,
  toCallAttributes,
  toCallItem,
  toJournal,
  toSignalItem,
} from './journal.ts';
import { callKey, inputKey, memoryViewKey, runKey, SIGNAL_PREFIX } from './keys.ts';
import type { StoredText } from './stored-text.ts';

/** `adopted`: somebody else was first; `record` is theirs and counts. */
export type RecordResult<Fact> = { readonly kind: 'recorded' } | { readonly kind: 'adopted'; readonly record: Fact };

/** A stored value in an item of its own, with the digest of the request it came with. */
export interface StoredInput extends StoredText {
  readonly digest: string;
}

/** Everything that a run has recorded besides its control data. */
export interface JournalRead {
  readonly journal: Journal;
  readonly input: StoredInput | undefined;
  /** Short-term memory that an earlier life of the run began with. */
  readonly memoryView: StoredText | undefined;
}

/** The input may be stored some deliveries before its run is recorded; a message lives 14 days at most. */
const INPUT_SLACK_SECONDS = 14 * 86_400;

/**
 * The records of one run besides its control data. Every fact is written once: the first writer wins.
 * All records of a run share its `ttl`, so a record with an older one is a leftover of an expired run with the same id: it counts as absent.
 */
export class JournalStore {
  private readonly items: ItemStore;
  private readonly runId: string;
  private readonly ttl: number;

  constructor(items: ItemStore, runId: string, ttl: number) {
    this.items = items;
    this.runId = runId;
    this.ttl = ttl;
  }

  /** D2: everything of the run in one query. */
  async read(): Promise<JournalRead> {
    const items = await this.items.query({ pk: runKey(this.runId).pk });
    const input = items.find((item) => item.sk === 'INPUT');
    const own = items.filter((item) => item.ttl === this.ttl);
    const view = own.find((item) => item.sk === 'MEMVIEW');
    return {
      journal: toJournal(own),
      input: input && { ...storedText(input), digest: String(input.dg) },
      memoryView: view && storedText(view),
    };
  }

  /** A1. `exists` gives the digest that stands there. One whose own run would have expired by now does not count. */
  async putInput(
    input: StoredInput,
    now: number,
  ): Promise<{ readonly kind: 'written' } | { readonly kind: 'exists'; readonly digest: string }> {
    const item = {
      ...inputKey(this.runId),
      dg: input.digest,
      ...textAttributes(input),
      ttl: this.ttl + INPUT_SLACK_SECONDS,
    };
    const isLeftover = below('ttl', Math.floor(now / 1000) + INPUT_SLACK_SECONDS);
    const result = await this.items.put(item, any(isNew, isLeftover));
    return result.kind === 'written' ? { kind: 'written' } : { kind: 'exists', digest: String(result.item?.dg) };
  }

  async getInput(): Promise<StoredInput | undefined> {
    const item = await this.items.get(inputKey(this.runId));
    return item && { ...storedText(item), digest: String(item.dg) };
  }

  /** D4: a terminal record of a call that has none, or PENDING before one that may have to be asked about. */
  async putCall(record: CallRecord): Promise<RecordResult<CallRecord>> {
    const result = await this.items.put(toCallItem(this.runId, record, this.ttl), this.isFree());
    if (result.kind === 'written' || result.item === undefined) return { kind: 'recorded' };
    const stored = fromCallItem(result.item);
    const own = stored.writer === record.writer && stored.status === record.status;
    return own ? { kind: 'recorded' } : { kind: 'adopted', record: stored };
  }

  /** D4: the outcome of a PENDING call. */
  async settleCall(record: CallRecord & Position): Promise<RecordResult<CallRecord>> {
    const { status, text, reference, epoch, position, writer, endedAt, signalSequence } = record;
    const change = {
      set: toCallAttributes({
        status,
        text,
        reference,
        epoch,
        position,
        writer,
        endedAt,
        signalSequence,
      } as Partial<CallRecord>),
    };
    const result = await this.items.update(
      callKey(this.runId, record.actionId, record.slot),
      change,
      all(exists, equal('st', 'PENDING')),
    );
    if (result.kind === 'written') return { kind: 'recorded' };
    if (result.item === undefined) return this.putCall(record);
    const stored = fromCallItem(result.item);
    const own = stored.writer === writer && stored.status === status && stored.position === position;
    return own ? { kind: 'recorded' } : { kind: 'adopted', record: stored };
  }

  /** What stands in a slot. */
  async getCall(actionId: string, slot: string): Promise<CallRecord | undefined> {
    const item = await this.items.get(callKey(this.runId, actionId, slot));
    return item?.ttl === this.ttl ? fromCallItem(item) : undefined;
  }

  /**
   * R2: the outcome of a PENDING call, from outside of the order of a drive: it has no position, and gets its place from whoever shows it.
   * @returns the status that stands then; `undefined`: the call is gone
   */
  async settleOutside(
    { actionId, slot }: Pick<CallRecord, 'actionId' | 'slot'>,
    outcome: StoredText & Pick<CallRecord, 'status' | 'endedAt'>,
  ): Promise<CallStatus | undefined> {
    return this.changePending(actionId, slot, { set: toCallAttributes(outcome as Partial<CallRecord>) });
  }

  /** A PENDING call cannot be followed any more. */
  async markFault({ actionId, slot }: Pick<CallRecord, 'actionId' | 'slot'>, fault: string): Promise<void> {
    await this.changePending(actionId, slot, { set: toCallAttributes({ fault }) });
  }

  /** `redrive`: the call is followed again. */
  async clearFault({ actionId, slot }: Pick<CallRecord, 'actionId' | 'slot'>): Promise<void> {
    await this.changePending(actionId, slot, { remove: Object.keys(toCallAttributes({ fault: '' })) });
  }

  private async changePending(actionId: string, slot: string, change: ItemChange): Promise<CallStatus | undefined> {
    const condition = all(exists, equal('ttl', this.ttl), equal('st', 'PENDING'));
    const { item } = await this.items.update(callKey(this.runId, actionId, slot), change, condition);
    return item?.ttl === this.ttl ? fromCallItem(item).status : undefined;
  }

  /** A call that is to be made again: its PENDING record, or one that stands there already, says when. */
  async postponeCall(record: CallRecord, announced: boolean): Promise<RecordResult<CallRecord>> {
    const { callsMade = 0, until, writer } = record;
    if (!announced) return this.putCall(record);
    const isEarlier = any(absent('ra'), below('ra', callsMade));
    const result = await this.items.update(
      callKey(this.runId, record.actionId, record.slot),
      { set: toCallAttributes({ callsMade, writer, ...(until === undefined ? {} : { until }) }) },
      all(exists, equal('st', 'PENDING'), isEarlier),
    );
    if (result.kind === 'written') return { kind: 'recorded' };
    if (result.item === undefined) return this.putCall(record);
    const stored = fromCallItem(result.item);
    const own = stored.writer === writer && stored.callsMade === callsMade;
    return own ? { kind: 'recorded' } : { kind: 'adopted', record: stored };
  }

  /** D4: a finished action. */
  async putAction(record: ActionRecord): Promise<RecordResult<ActionRecord>> {
    const result = await this.items.put(toActionItem(this.runId, record, this.ttl), this.isFree());
    if (result.kind === 'written' || result.item === undefined) return { kind: 'recorded' };
    const stored = fromActionItem(result.item);
    return stored.writer === record.writer ? { kind: 'recorded' } : { kind: 'adopted', record: stored };
  }

  /** The signals that have arrived, in the order in which they are taken. */
  async readSignals(): Promise<readonly SignalRecord[]> {
    const items = await this.items.query({ pk: runKey(this.runId).pk, prefix: SIGNAL_PREFIX });
    return toJournal(items.filter((item) => item.ttl === this.ttl)).signals;
  }

  /** A signal: the same message, delivered again, changes nothing. */
  async putSignal(signal: SignalRecord): Promise<void> {
    await this.items.put(toSignalItem(this.runId, signal, this.ttl), this.isFree());
  }

  /** E5: the short-term memory that a failed run began with; written once. */
  async putMemoryView(view: StoredText): Promise<void> {
    await this.items.put({ ...memoryViewKey(this.runId), ...textAttributes(view), ttl: this.ttl }, this.isFree());
  }

  private isFree(): Condition {
    return any(isNew, below('ttl', this.ttl));
  }

  /**
   * `redrive`: the failed call runs again. Its record is made one of the past instead of being deleted, since that can be tied to the
   * condition that it is still the same: a later life of the run may have recorded another outcome there.
   */
  async dropFailedCall(record: CallRecord): Promise<void> {
    const isSame = all(exists, equal('st', 'FAILED'), equal('tk', record.writer));
    const change = { set: { ttl: Math.min(Math.floor(record.startedAt / 1_000), this.ttl - 1) } };
    await this.items.update(callKey(this.runId, record.actionId, record.slot), change, isSame);
  }
}

function storedText(item: Item): StoredText {
  return {
    ...(item.val === undefined ? {} : { text: String(item.val) }),
    ...(item.ref === undefined ? {} : { reference: String(item.ref) }),
  };
}

const textAttributes = (stored: StoredText): Record<string, string> => ({
  ...(stored.text === undefined ? {} : { val: stored.text }),
  ...(stored.reference === undefined ? {} : { ref: stored.reference }),
});
