import type { ManualClock } from './manual-clock.ts';

/** Turns of the event loop without an end before time is skipped to the next wait. */
const IDLE_TURNS = 4;
/** Real time without an end before a time limit strikes: longer than any work of a test that is really under way. */
const LIMIT_IDLE_MILLIS = 50;

/** Waits for work, moving the clock on whenever the work itself waits for time. */
export async function skipTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  work.then(mark, mark);
  while (!settled) {
    for (let turn = 0; turn < IDLE_TURNS && !settled; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (settled) break;
    const wait = clock.nextTimerOf('wait');
    if (wait !== undefined) await stepTo(clock, wait, () => settled);
    else await pause(clock, () => settled);
  }
  return work;
}

/** Fires the timers on the way one by one, so that promises go on in between. */
async function stepTo(clock: ManualClock, time: number, settled: () => boolean): Promise<void> {
  while (!settled() && clock.now() < time) {
    clock.advanceTo(Math.max(Math.min(clock.nextTimer() ?? time, time), clock.now()));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Real work is under way: it gets real time before its limit strikes. */
async function pause(clock: ManualClock, settled: () => boolean): Promise<void> {
  const start = performance.now();
  while (!settled() && clock.nextTimerOf('wait') === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const limit = clock.nextTimerOf('limit');
    if (limit !== undefined && performance.now() - start > LIMIT_IDLE_MILLIS) return stepTo(clock, limit, settled);
  }
}
