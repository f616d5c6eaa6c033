import type { Signal } from './signal.ts';

/** A settled fact that is ready to be shown to user code. */
export interface Delivery {
  readonly ordinal: number;
  /**
   * Who recorded it: an earlier drive, this one, or somebody else meanwhile. In the last case its place must be written
   * before it is shown, since it carries no position of this drive.
   */
  readonly source: 'earlier' | 'own' | 'adopted';
  deliver(): void | Promise<void>;
}

/** A place in the order, taken when a live outcome came in. It is shown when its record is acknowledged, `undefined`: never. */
export interface Arrival {
  readonly position: number;
  settle(delivery: Delivery | undefined): void;
}

/**
 * The ordered log of what user code saw next, live and replay alike. In a replay the recorded order decides;
 * after it, live outcomes follow in the order in which they came in, each no sooner than it is recorded.
 */
export class OrderLog {
  private readonly recorded: readonly number[];
  private readonly changed: Signal;
  private readonly registered = new Map<number, Delivery>();
  private readonly skipped = new Set<number>();
  private readonly late: Delivery[] = [];
  private readonly arrivals: Promise<Delivery | undefined>[] = [];
  private cursor = 0;
  private position = 0;

  /** @param recorded ordinals in the order in which earlier drives saw them */
  constructor(recorded: readonly number[], changed: Signal) {
    this.recorded = recorded;
    this.changed = changed;
  }

  /** User code asked for a recorded fact: it is shown at its place. */
  register(delivery: Delivery): void {
    if (this.skipped.has(delivery.ordinal)) this.late.push(delivery);
    else this.registered.set(delivery.ordinal, delivery);
  }

  /** Takes the next place for an outcome that has just come in. */
  arrive(): Arrival {
    const { promise, resolve } = Promise.withResolvers<Delivery | undefined>();
    this.arrivals.push(promise);
    this.changed.notify();
    const position = this.position;
    this.position += 1;
    return { position, settle: resolve };
  }

  /** The next recorded fact that was asked for. A fact nobody asks for (its call is gone from the code) is passed over. */
  nextRecorded(): Delivery | undefined {
    const late = this.late.shift();
    if (late) return late;
    while (this.cursor < this.recorded.length) {
      const ordinal = this.recorded[this.cursor] ?? 0;
      this.cursor += 1;
      const delivery = this.registered.get(ordinal);
      if (delivery) {
        this.registered.delete(ordinal);
        return delivery;
      }
      this.skipped.add(ordinal);
    }
    return undefined;
  }

  /** The oldest live outcome, whether it is recorded yet or not. */
  nextArrival(): Promise<Delivery | undefined> | undefined {
    return this.arrivals.shift();
  }
}
