import type { Clock } from '../ports/clock.ts';

// SQS: "the message deduplication interval is 5 minutes", counted from the first message.
const WINDOW_MILLIS = 5 * 60_000;

/** Remembers ids for as long as an SQS FIFO queue does. */
export class DeduplicationWindow {
  readonly #acceptedAt = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether `id` is new; a new one is remembered. */
  accept(id: string): boolean {
    const now = this.#clock.now();
    const acceptedAt = this.#acceptedAt.get(id);
    if (acceptedAt !== undefined && now - acceptedAt < WINDOW_MILLIS) {
      return false;
    }
    this.#acceptedAt.set(id, now);
    return true;
  }
}
