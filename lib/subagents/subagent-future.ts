import { DurablePromise } from '../durable/durable-promise.ts';
import type { SubagentResult } from './subagent-result.ts';

/**
 * The handle of a submitted call: a Promise of its answer. It must be awaited (a combinator counts) or cancelled before its action ends.
 * (Flink Agents: `SubagentFuture`.)
 */
export class SubagentFuture<Result = unknown> extends DurablePromise<SubagentResult<Result>> {
  #cancelled = false;
  #onCancel: () => void = () => {};

  /** Tells what cancelling does; for the framework. */
  onCancel(listener: () => void): void {
    this.#onCancel = listener;
  }

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  /** Gives the call up: awaiting it rejects with `SubagentCancelledError`, unless its answer was recorded before. A second time does nothing. */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#onCancel();
  }
}
