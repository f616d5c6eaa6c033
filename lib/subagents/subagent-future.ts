import { DurablePromise } from '../durable/durable-promise.ts';
import { refuseInsideCall } from '../durable/inside-call.ts';
import type { SubagentResult } from './subagent-result.ts';

/** Who is told what user code does with a handle. */
export interface FutureListener {
  awaited(): void;
  cancelled(): void;
}

/**
 * The handle of a submitted call: a Promise of its answer. It must be awaited (a combinator counts) or cancelled before its action ends.
 * (Flink Agents: `SubagentFuture`.)
 */
export class SubagentFuture<Result = unknown> extends DurablePromise<SubagentResult<Result>> {
  #cancelled = false;
  #listener: FutureListener = { awaited: () => {}, cancelled: () => {} };

  /** Tells who follows the handle; for the framework. */
  listen(listener: FutureListener): void {
    this.#listener = listener;
    if (this.isObserved) listener.awaited();
  }

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  override get isResolved(): boolean {
    return super.isResolved || this.#cancelled;
  }

  /**
   * Gives the call up: awaiting it rejects with `SubagentCancelledError`, unless its answer was recorded before. A second time does nothing.
   * @throws AgentError `CALL_OUTSIDE_ACTION` inside a durable call
   */
  cancel(): void {
    refuseInsideCall('cancel');
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#listener.cancelled();
  }

  override then<A = SubagentResult<Result>, B = never>(
    onFulfilled?: ((value: SubagentResult<Result>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const settled = super.then(onFulfilled, onRejected);
    this.#listener.awaited();
    return settled;
  }
}
