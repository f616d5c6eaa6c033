import type { RunRecord } from '../../store/run-record.ts';
import type { RunStore } from '../../store/run-store.ts';
import type { Pollers } from '../drive/pollers.ts';
import type { DriveState } from './drive-state.ts';
import type { ExternalWaits } from './external-waits.ts';

export type SuspendResult =
  | { readonly kind: 'suspended' }
  /** Something has happened since the driver looked. */
  | { readonly kind: 'news'; readonly wakeCount: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost' };

/** What suspending a run needs. */
export interface SuspensionOptions {
  readonly state: DriveState;
  readonly waits: ExternalWaits;
  readonly runs: RunStore;
  /** The record as the claim left it. */
  readonly run: RunRecord;
  readonly endOfAge: number;
  /** Sees to the pollers of what the run waits for. */
  readonly pollers: Pollers;
}

/**
 * Knows when a drive has nothing left to do but wait, and ends it then (D6): nothing executes, nothing is to be shown,
 * and every pending await is external.
 */
export class Suspension {
  private readonly state: DriveState;
  private readonly waits: ExternalWaits;
  private readonly runs: RunStore;
  private readonly run: RunRecord;
  private readonly endOfAge: number;
  private readonly pollers: Pollers;

  constructor(options: SuspensionOptions) {
    this.state = options.state;
    this.waits = options.waits;
    this.runs = options.runs;
    this.run = options.run;
    this.endOfAge = options.endOfAge;
    this.pollers = options.pollers;
  }

  /** Whether all that is left is to wait for something outside, for longer than it is worth staying. */
  get isDue(): boolean {
    if (this.state.outstanding > 0 || this.waits.waiting().length === 0) return false;
    // Nobody follows a remote job before its run is suspended: a short wait beside it is none to stay for.
    if (this.waits.neededPollers().length > 0) return true;
    const end = this.waits.earliestEnd();
    return end === undefined || end - this.state.clock.now() > this.state.stayMillis;
  }

  /** Has remote jobs followed while something else keeps the drive busy, so that either can win a race. */
  async pollMeanwhile(): Promise<void> {
    const needed = this.waits.neededPollers();
    // First: whoever joins from now on is told the next time.
    this.waits.notePolled();
    await this.pollers.ensure(needed);
  }

  /** D6. Refused when a mark was left since the signals were read: then they are to be read again, after the count. */
  async suspend(): Promise<SuspendResult> {
    if (!this.state.lease.isValid()) return { kind: 'lost' };
    const { runId, epoch } = this.run;
    const checkAt = await this.pollers.ensure(this.waits.neededPollers());
    this.waits.notePolled();
    if (!this.state.lease.isValid()) return { kind: 'lost' };
    const waitingFor = this.waits.waiting().map(({ open }) => String(open.ordinal));
    const dueAt = Math.min(this.waits.earliestEnd() ?? this.endOfAge, checkAt ?? this.endOfAge, this.endOfAge);
    const result = await this.runs.suspend(runId, epoch, this.waits.wakeCount, { waitingFor, dueAt });
    if (result.kind === 'written') return { kind: 'suspended' };
    const { run } = result;
    if (run === undefined || run.epoch !== epoch) return { kind: 'lost' };
    // Our own write, whose answer was lost on the way.
    if (run.status === 'SUSPENDED') return { kind: 'suspended' };
    if (run.status !== 'RUNNING') return { kind: 'lost' };
    if (run.cancelMark !== undefined) return { kind: 'cancelled' };
    return { kind: 'news', wakeCount: run.wakeCount };
  }
}
