import type { ItemStore } from '../../../../lib/ports/item-store.ts';
import { settleMicrotasks } from './drive-bench.ts';

/** One process at work on the store: each of its calls waits until it is let go. */
export class SteppedProcess {
  readonly items: ItemStore;
  private readonly waiting: (() => void)[] = [];

  constructor(items: ItemStore) {
    this.items = new Proxy(items, {
      get: (target, member) => {
        const method: unknown = Reflect.get(target, member);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]): Promise<unknown> => {
          await new Promise<void>((resolve) => this.waiting.push(resolve));
          return method.apply(target, args);
        };
      },
    });
  }

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  step(): void {
    this.waiting.shift()?.();
  }
}

/** Lets the processes go on one call at a time; `pick` says which. */
export async function interleave(
  processes: readonly SteppedProcess[],
  pick: (options: number) => number,
): Promise<void> {
  for (;;) {
    await settleMicrotasks();
    const ready = processes.filter((process) => process.isWaiting);
    if (ready.length === 0) return;
    ready[ready.length === 1 ? 0 : pick(ready.length)]?.step();
  }
}

/** Plays once for every way to pick; returns how many there were. */
export async function everyPick(play: (pick: (options: number) => number) => Promise<void>): Promise<number> {
  let fixed: readonly number[] = [];
  for (let plays = 1; ; plays += 1) {
    const picked: { readonly choice: number; readonly options: number }[] = [];
    await play((options) => {
      const choice = fixed[picked.length] ?? 0;
      picked.push({ choice, options });
      return choice;
    });
    const last = picked.findLastIndex(({ choice, options }) => choice + 1 < options);
    if (last < 0) return plays;
    fixed = picked.slice(0, last + 1).map(({ choice }, place) => (place === last ? choice + 1 : choice));
  }
}
