import { RunStatus } from 'lambda-agents';
import type { Answer } from './job-service.ts';

/** A probe that finds the job running so many times, and then completed. */
export const runsFor =
  (probes: number): Answer =>
  (_call, nth) =>
    nth <= probes ? RunStatus.running() : RunStatus.completed();

/** A probe that finds the job running whenever it is. */
export const forEver: Answer = () => RunStatus.running();

/** A probe that does not find the job. */
export const unknown: Answer = () => RunStatus.notStarted();

export const unavailable: Answer = () => {
  throw new Error('500 Internal Server Error');
};

export const hanging: Answer = () => new Promise(() => {});

/** The first requests are answered by one, the others by the other, which counts them from 1. */
export const first =
  (times: number, before: Answer, after: Answer): Answer =>
  (call, nth) =>
    nth <= times ? before(call, nth) : after(call, nth - times);

/** Times between each two. */
export const gapsOf = (times: readonly number[]): readonly number[] =>
  times.slice(1).map((time, index) => time - (times[index] as number));
