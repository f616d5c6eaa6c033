import type { SignalRecord } from '../store/journal.ts';
import type { JournalStore } from '../store/journal-store.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { RunStore } from '../store/run-store.ts';
import type { DriveState } from './drive-state.ts';
import type { ExternalWaits } from './external-waits.ts';

export type SuspendResult =
  | { readonly kind: 'suspended' }
  /** Something has happened since the driver looked: these signals have arrived by now. */
  | { readonly kind: 'news'; readonly signals: readonly SignalRecord[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost' };

/** What suspending a run needs. */
export interface SuspensionOptions {
  readonly state: DriveState;
  readonly waits: ExternalWaits;
  readonly runs: RunStore;
  readonly journal: JournalStore;
  /** The record as the claim left it. */
  readonly run: RunRecord;
  /** The wake count of D1, before the journal was read. */
  readonly wakeCount: number;
  readonly endOfAge: number;
}

/**
 * Knows when a drive has nothing left to do but wait, and ends it then (D6): nothing executes, nothing is to be shown,
 * and every pending await is external.
 */
export class Suspension {
  private readonly state: DriveState;
  private readonly waits: ExternalWaits;
  private readonly runs: RunStore;
  private readonly journal: JournalStore;
  private readonly run: RunRecord;
  private readonly endOfAge: number;
  /** The wake count as it was before the journal was last read. */
  private wakeCount: number;

  constructor(options: SuspensionOptions) {
    this.state = options.state;
    this.waits = options.waits;
    this.runs = options.runs;
    this.journal = options.journal;
    this.run = options.run;
    this.wakeCount = options.wakeCount;
    this.endOfAge = options.endOfAge;
  }

  /** Whether all that is left is to wait for something outside, for longer than it is worth staying. */
  get isDue(): boolean {
    if (this.state.outstanding > 0 || this.waits.waiting().length === 0) return false;
    const end = this.waits.earliestEnd();
    return end === undefined || end - this.state.clock.now() > this.state.stayMillis;
  }

  /** D6. Refused when a mark was left since the journal was read: then it is read again, the count before the journal. */
  async suspend(): Promise<SuspendResult> {
    if (!this.state.lease.isValid()) return { kind: 'lost' };
    const { runId, epoch } = this.run;
    const waitingFor = this.waits.waiting().map(({ open }) => String(open.ordinal));
    const dueAt = Math.min(this.waits.earliestEnd() ?? this.endOfAge, this.endOfAge);
    const result = await this.runs.suspend(runId, epoch, this.wakeCount, { waitingFor, dueAt });
    if (result.kind === 'written') return { kind: 'suspended' };
    const { run } = result;
    if (run === undefined || run.epoch !== epoch) return { kind: 'lost' };
    // Our own write, whose answer was lost on the way.
    if (run.status === 'SUSPENDED') return { kind: 'suspended' };
    if (run.status !== 'RUNNING') return { kind: 'lost' };
    if (run.cancelMark !== undefined) return { kind: 'cancelled' };
    this.wakeCount = run.wakeCount;
    return { kind: 'news', signals: (await this.journal.read()).journal.signals };
  }
}
