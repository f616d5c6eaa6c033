import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../store/journal.ts';
import type { RunTracer } from '../../trace/run-tracer.ts';
import type { DriveLease, DriveTimes } from '../drive/drive-lease.ts';
import type { StopReason } from './engine-outcome.ts';
import type { FactRecorder } from './fact-recorder.ts';
import type { OrderLog } from './order-log.ts';
import type { Signal } from './signal.ts';

/** What the parts of the engine share during one drive. */
export class DriveState {
  readonly journal: Journal;
  readonly recorder: FactRecorder;
  readonly lease: DriveLease;
  readonly times: DriveTimes;
  /** A longer wait ends the drive, unless something else keeps it busy. */
  readonly stayMillis: number;
  readonly clock: Clock;
  readonly tracer: RunTracer;
  readonly order: OrderLog;
  readonly changed: Signal;
  /** Aborts every call under way: the drive gives up. */
  readonly givenUp = new AbortController();
  /** Calls being executed and actions being recorded. */
  outstanding = 0;
  /** Reads that hold the engine until they are back. */
  busy = 0;
  private paused: Promise<void> | undefined;
  private reason: StopReason | undefined;
  private closed = false;
  private readonly taken: Set<number>;
  private nextOrdinal = 0;

  constructor(options: {
    readonly journal: Journal;
    readonly recorder: FactRecorder;
    readonly lease: DriveLease;
    readonly times: DriveTimes;
    readonly stayMillis: number;
    readonly clock: Clock;
    readonly tracer: RunTracer;
    readonly order: OrderLog;
    readonly changed: Signal;
  }) {
    this.journal = options.journal;
    this.recorder = options.recorder;
    this.lease = options.lease;
    this.times = options.times;
    this.stayMillis = options.stayMillis;
    this.clock = options.clock;
    this.tracer = options.tracer;
    this.order = options.order;
    this.changed = options.changed;
    this.taken = new Set(
      [...this.journal.calls.values(), ...this.journal.actions.values()].map(({ ordinal }) => ordinal),
    );
  }

  get stopReason(): StopReason | undefined {
    return this.reason;
  }

  /** Nothing may start any more: the drive stops or has ended. Contexts of a closed drive are dead. */
  get isOver(): boolean {
    return this.closed || this.reason !== undefined;
  }

  /** The first reason counts, but losing the lease overrides all. */
  stop(reason: StopReason): void {
    if (this.closed) return;
    if (this.reason === undefined || reason.kind === 'lost') this.reason = reason;
    if (reason.kind === 'lost' || reason.kind === 'cancelled') this.givenUp.abort();
    this.changed.notify();
  }

  close(): void {
    this.closed = true;
    this.givenUp.abort();
  }

  /** The ordinal of something that starts: the recorded one, else the lowest that no record has. */
  takeOrdinal(recorded: number | undefined): number {
    if (recorded !== undefined) return recorded;
    while (this.taken.has(this.nextOrdinal)) this.nextOrdinal += 1;
    this.nextOrdinal += 1;
    return this.nextOrdinal - 1;
  }

  /** From now on work waits to begin until the returned function is called; it never begins if the drive is over by then. */
  pause(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.paused = promise;
    return () => {
      this.paused = undefined;
      resolve();
    };
  }

  /** Runs work that the end of the drive waits for; what it throws fails the attempt. */
  runOutstanding(work: () => Promise<unknown>): void {
    this.outstanding += 1;
    const begun = this.paused?.then(() => (this.isOver ? undefined : work())) ?? work();
    begun
      .catch((error: unknown) => this.stop({ kind: 'attempt-failed', error }))
      .finally(() => {
        this.outstanding -= 1;
        this.changed.notify();
      });
  }

  /** Holds the engine while a read is under way. Dead contexts wait for ever. */
  async hold<T>(read: Promise<T>): Promise<T> {
    this.busy += 1;
    try {
      const value = await read;
      return this.isOver ? await new Promise<never>(() => {}) : value;
    } catch (error) {
      this.stop({ kind: 'attempt-failed', error });
      return await new Promise<never>(() => {});
    } finally {
      this.busy -= 1;
      this.changed.notify();
    }
  }
}
