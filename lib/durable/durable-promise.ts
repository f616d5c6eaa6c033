/** The promise of a durable call, which knows whether anybody waits for it: `await` and the combinators call `then`. */
export class DurablePromise<T> extends Promise<T> {
  private observed = false;

  constructor(executor: (resolve: (value: T | PromiseLike<T>) => void, reject: (reason?: unknown) => void) => void) {
    super(executor);
    // A call may fail before the action comes to await it; a rejection that nobody handles yet would stop the process.
    super.then(undefined, () => {});
  }

  /** Derived promises are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Whether the promise was awaited, given to a combinator or chained. */
  get isObserved(): boolean {
    return this.observed;
  }

  /** Whether its action has done with it what it must. */
  get isResolved(): boolean {
    return this.observed;
  }

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.observed = true;
    return super.then(onFulfilled, onRejected);
  }
}
