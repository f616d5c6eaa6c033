import type { Clock } from '../ports/clock.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { PollScheduler } from '../ports/poll-scheduler.ts';
import type { DeadLetterQueue, OutputQueue, WakeQueue } from '../ports/queues.ts';
import type { TraceSink } from '../ports/trace-sink.ts';

/** What changing the state of runs needs. */
export interface StorePorts {
  readonly items: ItemStore;
  readonly payloads: PayloadStore;
  readonly wakes: WakeQueue;
  readonly clock: Clock;
}

/** What taking requests needs. */
export interface AcceptPorts extends StorePorts {
  readonly deadLetters: DeadLetterQueue;
}

/** What driving runs needs. */
export interface DrivePorts extends StorePorts {
  readonly outputs: OutputQueue;
  readonly polls: PollScheduler;
  readonly trace: TraceSink;
  /** A token that no other drive has, for instance a UUID. */
  readonly createToken: () => string;
}
