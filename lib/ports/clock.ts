/**
 * What a timer is for, which tells a test when time may be skipped to it:
 * `wait`: the work itself waits, so at once; `limit`: it ends work that takes too long, so only when nothing happens any more;
 * `background`: it never moves time on, and fires when time passes it.
 */
export type TimerKind = 'wait' | 'limit' | 'background';

/** Time, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after `millis`; the returned function cancels. */
  after(millis: number, callback: () => void, kind: TimerKind): () => void;
}
