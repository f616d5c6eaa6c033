import type { PlanSet } from '../agent/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { WakeQueue } from '../ports/queues.ts';

/** What following calls outside of a drive needs. */
export interface PollPorts {
  readonly items: ItemStore;
  readonly payloads: PayloadStore;
  readonly wakes: WakeQueue;
  readonly clock: Clock;
}

/** A run, and what it is polled with. */
export interface PolledRun {
  readonly plans: PlanSet;
  readonly ports: PollPorts;
  readonly runId: string;
  readonly ttl: number;
  /** Long prompts that were loaded, by their references: kept for a round. @default loaded each time */
  readonly prompts?: Map<string, Promise<string>>;
}
