import type { Clock, TimerKind } from '../ports/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  readonly kind: TimerKind;
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  /** @param start milliseconds since 1970. @default 1 January 2026, 00:00 UTC */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(millis: number, callback: () => void, kind: TimerKind): () => void {
    const timer: Timer = { dueAt: this.#now + Math.max(0, millis), callback, kind };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** When the earliest timer fires, background ones included. */
  nextTimer(): number | undefined {
    return this.#earliest(() => true)?.dueAt;
  }

  /** When the earliest timer of a kind fires. */
  nextTimerOf(kind: TimerKind): number | undefined {
    return this.#earliest((timer) => timer.kind === kind)?.dueAt;
  }

  /**
   * Moves to `time` and fires what is due on the way, in order, each at its own time.
   * Promises do not go on in between: to let them, move to `nextTimer()` step by step.
   */
  advanceTo(time: number): void {
    if (!(time >= this.#now)) {
      throw new Error(`The clock stands at ${this.#now} and is moved to ${time}. Move it forwards.`);
    }
    for (let timer = this.#dueBy(time); timer !== undefined; timer = this.#dueBy(time)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.dueAt);
      timer.callback();
    }
    this.#now = Math.max(this.#now, time);
  }

  /** Moves on by `millis`, as `advanceTo` does. */
  advanceBy(millis: number): void {
    this.advanceTo(this.#now + millis);
  }

  #dueBy(time: number): Timer | undefined {
    return this.#earliest((timer) => timer.dueAt <= time);
  }

  // A set keeps the order of insertion, so of equal times the older timer comes first.
  #earliest(accepts: (timer: Timer) => boolean): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (accepts(timer) && (earliest === undefined || timer.dueAt < earliest.dueAt)) {
        earliest = timer;
      }
    }
    return earliest;
  }
}
