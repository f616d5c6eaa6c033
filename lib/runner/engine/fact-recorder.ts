import type { ActionRecord, CallRecord, Position } from '../../store/journal.ts';
import type { JournalStore, RecordResult } from '../../store/journal-store.ts';
import type { Payloads } from '../../store/payloads.ts';
import type { StoredText } from '../../store/stored-text.ts';
import type { DriveLease } from '../drive/drive-lease.ts';

export type FactResult<Fact> =
  | { readonly kind: 'recorded'; readonly record: Fact }
  /** Somebody else recorded it first; theirs counts. */
  | { readonly kind: 'adopted'; readonly record: Fact }
  /** The lease is over: nothing may be written any more. */
  | { readonly kind: 'lost' };

/** Writes the facts of one drive, each only while the driver owns the run. */
export class FactRecorder {
  private readonly journal: JournalStore;
  private readonly payloads: Payloads;
  private readonly lease: DriveLease;
  /** Records that this drive added. */
  recordedFacts = 0;
  /** Token of this driver in its records. */
  readonly writer: string;

  constructor(options: {
    readonly journal: JournalStore;
    readonly payloads: Payloads;
    readonly lease: DriveLease;
    readonly writer: string;
  }) {
    this.journal = options.journal;
    this.payloads = options.payloads;
    this.lease = options.lease;
    this.writer = options.writer;
  }

  get epoch(): number {
    return this.lease.epoch;
  }

  /** Writes PENDING before a call whose effect a crash may hide. */
  async announce(record: CallRecord): Promise<FactResult<CallRecord>> {
    if (!this.lease.isValid()) return { kind: 'lost' };
    const result = await this.journal.putCall(record);
    return this.counted(record, result);
  }

  /** Writes the outcome of a call, over its PENDING record when it has one. */
  async settle(record: CallRecord & Position, announced: boolean): Promise<FactResult<CallRecord>> {
    if (!this.lease.isValid()) return { kind: 'lost' };
    const result = announced ? await this.journal.settleCall(record) : await this.journal.putCall(record);
    return this.counted(record, result);
  }

  /** Writes that a call failed and when it is to be made again. */
  async postpone(record: CallRecord, announced: boolean): Promise<FactResult<CallRecord>> {
    if (!this.lease.isValid()) return { kind: 'lost' };
    const result = await this.journal.postponeCall(record, announced);
    return this.counted(record, result);
  }

  async finish(record: ActionRecord): Promise<FactResult<ActionRecord>> {
    if (!this.lease.isValid()) return { kind: 'lost' };
    const result = await this.journal.putAction(record);
    return this.counted(record, result);
  }

  private counted<Fact>(record: Fact, result: RecordResult<Fact>): FactResult<Fact> {
    if (result.kind === 'adopted') return result;
    this.recordedFacts += 1;
    return { kind: 'recorded', record };
  }

  /** @throws TerminalAgentError `PAYLOAD_TOO_LARGE` */
  save(what: string, text: string): Promise<StoredText> {
    return this.payloads.save(what, text);
  }

  load(stored: StoredText): Promise<string> {
    return this.payloads.load(stored);
  }
}
