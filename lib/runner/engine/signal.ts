/** Wakes whoever waits for something to change. */
export class Signal {
  private waiters: (() => void)[] = [];

  notify(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}

/** Resolves when every microtask that is due has run: the code that was just resumed has come to its next wait. */
export const microtasksDrained = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
