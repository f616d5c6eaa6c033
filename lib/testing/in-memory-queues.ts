import { AgentError } from '../errors/agent-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeadLetterQueue, OutputMessage, OutputQueue, RefusedMessage, Wake, WakeQueue } from '../ports/queues.ts';
import { DeduplicationWindow } from './deduplication-window.ts';
import { utf8Length } from './utf8.ts';

const MAX_DELAY_SECONDS = 900;
const MAX_BODY_BYTES = 1_048_576;
const QUEUE_ID = /^[\x21-\x7e]{1,128}$/;

/** A wake message that waits to be delivered. */
export interface WakeMessage {
  /** Counts the messages of the queue, from 1. */
  readonly id: number;
  readonly wake: Wake;
  readonly sentAt: number;
  readonly visibleAt: number;
}

/** The wake queue in memory. Messages lie in it until something takes them. */
export class InMemoryWakeQueue implements WakeQueue {
  /** Every message that was sent, in order. */
  readonly sent: WakeMessage[] = [];
  readonly #clock: Clock;
  readonly #waiting = new Set<WakeMessage>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(wake: Wake, delaySeconds = 0): Promise<void> {
    if (!(Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS)) {
      throw new Error(
        `A wake is delayed by ${delaySeconds} seconds. Use whole seconds from 0 to ${MAX_DELAY_SECONDS}.`,
      );
    }
    const sentAt = this.#clock.now();
    const message = { id: this.sent.length + 1, wake: { ...wake }, sentAt, visibleAt: sentAt + delaySeconds * 1_000 };
    this.sent.push(message);
    this.#waiting.add(message);
  }

  /** What lies in the queue, in the order of becoming visible. */
  waiting(): readonly WakeMessage[] {
    return [...this.#waiting].sort((left, right) => left.visibleAt - right.visibleAt || left.id - right.id);
  }

  /** When the next message becomes visible or did. */
  nextVisibleAt(): number | undefined {
    return this.waiting()[0]?.visibleAt;
  }

  /** Takes the message that has been visible for longest out of the queue. */
  takeVisible(): WakeMessage | undefined {
    const [first] = this.waiting();
    return first !== undefined && first.visibleAt <= this.#clock.now() ? this.take(first) : undefined;
  }

  /** Takes a certain message out of the queue: delivered early, or lost. */
  take(message: WakeMessage): WakeMessage {
    if (!this.#waiting.delete(message)) {
      throw new Error(`Wake message ${message.id} is not in the queue. Take what waiting() shows.`);
    }
    return message;
  }

  /** Puts a taken message back, as the end of its visibility timeout does. */
  giveBack(message: WakeMessage, visibleAt: number): void {
    this.#waiting.add({ ...message, visibleAt });
  }
}

/** The output queue in memory. */
export class InMemoryOutputQueue implements OutputQueue {
  /** Every message that was sent, repeats included. */
  readonly sent: OutputMessage[] = [];
  /** What a receiver gets: the sent messages without those that repeat an id within five minutes. */
  readonly delivered: OutputMessage[] = [];
  readonly #window: DeduplicationWindow;

  constructor(clock: Clock) {
    this.#window = new DeduplicationWindow(clock);
  }

  async send(messages: readonly OutputMessage[]): Promise<void> {
    messages.forEach(checkMessage);
    for (const message of messages) {
      this.sent.push({ ...message });
      if (this.#window.accept(message.deduplicationId)) {
        this.delivered.push({ ...message });
      }
    }
  }
}

/** The dead-letter queue in memory. */
export class InMemoryDeadLetterQueue implements DeadLetterQueue {
  readonly sent: RefusedMessage[] = [];

  async send(message: RefusedMessage): Promise<void> {
    this.sent.push({ ...message });
  }
}

function checkMessage({ groupId, deduplicationId, body }: OutputMessage): void {
  for (const id of [groupId, deduplicationId]) {
    if (!QUEUE_ID.test(id)) {
      throw new Error(`Queue id ${JSON.stringify(id)} is not 1 to 128 printable ASCII characters. Hash it.`);
    }
  }
  const bytes = utf8Length(body);
  if (bytes > MAX_BODY_BYTES) {
    throw new AgentError(
      'PAYLOAD_TOO_LARGE',
      `Output "${deduplicationId}" has ${bytes} bytes, above ${MAX_BODY_BYTES}. Send a reference instead.`,
    );
  }
}
