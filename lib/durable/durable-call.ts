/** How a failed durable call is repeated within one drive, before its failure is recorded. */
export interface RetryPolicy {
  /** Calls in all. @default 3 */
  readonly maxAttempts?: number;
  /** Wait before the second call, in milliseconds. @default 500 */
  readonly initialMillis?: number;
  /** Longest wait, in milliseconds. @default 10_000 */
  readonly maxMillis?: number;
  /** Each wait is so many times the one before. @default 2 */
  readonly factor?: number;
}

export interface DurableCall<T> {
  /** Stable name inside the action: no time, randomness or message id in it. Parallel calls need different ids. 1 to 128 bytes. */
  readonly id: string;
  /** The side effect. `signal` aborts when the call is given up: its timeout, the end of its action, or the end of the invocation. */
  readonly call: (signal: AbortSignal) => T | Promise<T>;
  /** JSON that the call depends on; a replay with other arguments is a mismatch. @default nothing is compared */
  readonly args?: unknown;
  /**
   * Asked *instead of* the call when an earlier one may have happened without a record (also between two calls of `retry`).
   * Gives the same kind of value, by looking the effect up or by `call()`. What it throws is a system fault: not recorded, asked again.
   * (Flink Agents: `DurableCallable.reconciler`.)
   */
  readonly reconcile?: (call: () => Promise<T>, signal: AbortSignal) => T | Promise<T>;
  /** Not with `at-most-once`: a call that failed may have had its effect. @default one call */
  readonly retry?: RetryPolicy;
  /** Limit of each call in milliseconds; then it failed with `CallTimeoutError`. @default the invocation's time */
  readonly timeoutMillis?: number;
  /**
   * What holds when a crash hides whether the call happened and there is no reconciler: `at-least-once` calls again,
   * `at-most-once` records a `CallInterruptedError`. @default 'at-least-once'
   */
  readonly semantics?: 'at-least-once' | 'at-most-once';
}
