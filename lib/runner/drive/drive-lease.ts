import type { Clock } from '../../ports/clock.ts';
import type { RunRecord } from '../../store/run-record.ts';
import type { RunStore } from '../../store/run-store.ts';

export type RenewResult = 'owned' | 'cancelled' | 'lost';

/** Times of one drive, all in milliseconds since 1970. */
export interface DriveTimes {
  /** End of the invocation. */
  readonly deadline: number;
  /** From here on no durable call starts: the run continues in another invocation. */
  readonly continueAt: number;
  /** Here calls under way are given up, so that the run can be handed on in time. */
  readonly giveUpAt: number;
}

/** Time left that a durable call needs at least to be started, and that handing the run on needs. */
const CONTINUE_MARGIN_MILLIS = 20_000;
const HAND_ON_MILLIS = 5_000;

/** Short invocations keep a third of their time for starting calls, and a sixth for handing on. */
export function driveTimes(now: number, deadline: number): DriveTimes {
  const total = Math.max(deadline - now, 0);
  return {
    deadline,
    continueAt: deadline - Math.min(CONTINUE_MARGIN_MILLIS, total / 3),
    giveUpAt: deadline - Math.min(HAND_ON_MILLIS, total / 6),
  };
}

/** The end of a lease taken now: never after the invocation. */
export const leaseEnd = (now: number, leaseMillis: number, deadline: number): number =>
  Math.min(now + leaseMillis, deadline);

/** The driver's ownership of a run. After its end the driver may neither start, write nor show anything. */
export class DriveLease {
  private readonly runs: RunStore;
  private readonly clock: Clock;
  private readonly runId: string;
  private readonly leaseMillis: number;
  private readonly deadline: number;
  private until: number;
  private wakeCount: number;
  readonly epoch: number;

  constructor(options: {
    readonly runs: RunStore;
    readonly clock: Clock;
    /** The record as the claim left it. */
    readonly run: RunRecord;
    readonly leaseMillis: number;
    readonly deadline: number;
  }) {
    this.runs = options.runs;
    this.clock = options.clock;
    this.runId = options.run.runId;
    this.epoch = options.run.epoch;
    this.until = options.run.leaseUntil ?? 0;
    this.wakeCount = options.run.wakeCount;
    this.leaseMillis = options.leaseMillis;
    this.deadline = options.deadline;
  }

  isValid(): boolean {
    return this.clock.now() < this.until;
  }

  /** D5. `settleOrder`: everything user code has seen or is about to see. */
  async renew(settleOrder?: string): Promise<RenewResult> {
    if (!this.isValid()) return 'lost';
    const until = leaseEnd(this.clock.now(), this.leaseMillis, this.deadline);
    const change = { leaseUntil: until, dueAt: until, ...(settleOrder === undefined ? {} : { settleOrder }) };
    const result = await this.runs.renew(this.runId, this.epoch, change);
    if (result.kind === 'refused') return 'lost';
    this.until = until;
    this.wakeCount = result.run.wakeCount;
    return result.run.cancelMark === undefined ? 'owned' : 'cancelled';
  }

  /** Renews at every third of the lease until stopped. */
  keep(onLoss: (result: Exclude<RenewResult, 'owned'>) => void, onRenewed: (wakeCount: number) => void): () => void {
    let stopped = false;
    let cancel = (): void => {};
    const schedule = (): void => {
      cancel = this.clock.after(this.leaseMillis / 3, () => void beat(), 'background');
    };
    const beat = async (): Promise<void> => {
      try {
        const result = await this.renew();
        if (stopped) return;
        if (result !== 'owned') return onLoss(result);
        onRenewed(this.wakeCount);
        schedule();
      } catch {
        // The store did not answer. The lease may still hold: the next beat tries again, and after its end nothing is written.
        if (!stopped) schedule();
      }
    };
    schedule();
    return () => {
      stopped = true;
      cancel();
    };
  }
}
