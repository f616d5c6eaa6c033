import type { PlannedAction } from '../../agent/plan.ts';
import type { DurablePromise } from '../../durable/durable-promise.ts';
import type { Event } from '../../events/event.ts';
import type { EmittedEvent } from './action-body.ts';
import type { ActionMemory } from './run-memory.ts';

/** An action that is waiting in the queue: everything about it that its trigger decides. */
export interface QueuedAction {
  readonly id: string;
  readonly action: PlannedAction;
  readonly parentActionId: string;
  /** Names of the actions that led here, joined by `/`. */
  readonly path: string;
  readonly event: Event;
}

/** An action that has started and is not finished: its place, its own writes, what it waits for. */
export class ActionRun {
  readonly queued: QueuedAction;
  readonly ordinal: number;
  readonly view: number;
  readonly startedAt: number;
  readonly sensory: ActionMemory;
  readonly shortTerm: ActionMemory;
  readonly events: EmittedEvent[] = [];
  /** Ends the calls that nobody waits for any more. */
  private readonly calls = new AbortController();
  /** Aborts when the action has ended or the drive gives up. */
  readonly callSignal: AbortSignal;
  /** Recorded failures that were shown to the action. */
  readonly shownFailures = new Set<unknown>();
  readonly visitedSlots = new Set<string>();
  state: 'running' | 'ended' = 'running';
  /** Durable calls that have not been shown their outcome yet. */
  pending = 0;
  private readonly occurrences = new Map<string, number>();
  private readonly promises: { readonly id: string; readonly promise: DurablePromise<unknown> }[] = [];

  constructor(options: {
    readonly queued: QueuedAction;
    readonly ordinal: number;
    readonly view: number;
    readonly startedAt: number;
    readonly sensory: ActionMemory;
    readonly shortTerm: ActionMemory;
    /** Aborts when the drive gives up. */
    readonly givenUp: AbortSignal;
  }) {
    this.queued = options.queued;
    this.ordinal = options.ordinal;
    this.view = options.view;
    this.startedAt = options.startedAt;
    this.sensory = options.sensory;
    this.shortTerm = options.shortTerm;
    this.callSignal = AbortSignal.any([options.givenUp, this.calls.signal]);
  }

  /** Its code is over: calls that are still under way are given up. */
  end(): void {
    this.state = 'ended';
    this.calls.abort();
  }

  /** Whether its code waits for a durable call or is over, so that nothing of it runs now. */
  get isParked(): boolean {
    return this.state === 'ended' || this.pending > 0;
  }

  /** Whether the action fails with recorded failures alone, also with several of them (`Promise.any`): a replay could only repeat it. */
  hasSeen(error: unknown): boolean {
    if (this.shownFailures.has(error)) return true;
    if (!isAggregate(error) || error.errors.length === 0) return false;
    return error.errors.every((each) => this.shownFailures.has(each));
  }

  /** How often the id was used before in this action. */
  nextOccurrence(callId: string): number {
    const occurrence = this.occurrences.get(callId) ?? 0;
    this.occurrences.set(callId, occurrence + 1);
    return occurrence;
  }

  track(id: string, promise: DurablePromise<unknown>): void {
    this.promises.push({ id, promise });
  }

  /** Ids of durable calls whose promise was neither awaited nor given to a combinator nor cancelled. */
  unawaitedCalls(): readonly string[] {
    return this.promises.filter(({ promise }) => !promise.isResolved).map(({ id }) => id);
  }
}

function isAggregate(error: unknown): error is AggregateError & { readonly errors: readonly unknown[] } {
  try {
    return error instanceof AggregateError && Array.isArray(error.errors);
  } catch {
    // A proxy may refuse to tell its class.
    return false;
  }
}
