/** What may still go wrong. */
export interface FaultsLeft {
  /** Processes that die after one of their effects. */
  readonly crashes: number;
  /** Wakes that nobody sent: doubled ones, or early ones of the sweeper. */
  readonly extraWakes: number;
  /** Times that nothing is under way, what wakes are left are lost, and the sweeper wakes what is due soon. */
  readonly sweeps: number;
  /** Times that the clock passes every lease while processes stand still: they become zombies. */
  readonly clockSteps: number;
}

export type RequestState = 'waiting' | 'in-flight' | 'done';

/** One state of the deployment, as numbers. Never changed: each step makes a new one. */
export interface World {
  /** The table: item numbers by place. */
  readonly items: readonly number[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly requests: readonly RequestState[];
  /** Wakes in the queue, by the number of their run. */
  readonly wakes: readonly number[];
  /** Nodes of the live processes, ascending. */
  readonly processes: readonly number[];
  /** Numbers of the output messages that were sent, ascending. */
  readonly sent: readonly number[];
  /** Longest sequence that the program of each run has observed, as a number. */
  readonly observed: readonly number[];
  readonly left: FaultsLeft;
}

/** Takes `value` into an ascending list. */
export function inserted(list: readonly number[], value: number): readonly number[] {
  const at = list.findIndex((other) => other > value);
  return at < 0 ? [...list, value] : [...list.slice(0, at), value, ...list.slice(at)];
}

/** Takes one `value` out of a list. */
export function without(list: readonly number[], value: number): readonly number[] {
  const at = list.indexOf(value);
  return at < 0 ? list : [...list.slice(0, at), ...list.slice(at + 1)];
}

export function replacedAt<T>(list: readonly T[], at: number, value: T): readonly T[] {
  const copy = [...list];
  copy[at] = value;
  return copy;
}
