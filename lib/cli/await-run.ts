import { isFinal, type RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';
import type { CommandContext } from './command.ts';
import type { Deployment } from './deployment.ts';
import { describeWaits, readWaits } from './pending-waits.ts';
import { oneLine } from './plain-text.ts';
import { errorText } from './stored-error.ts';

const FIRST_PAUSE_MILLIS = 200;
const LONGEST_PAUSE_MILLIS = 2_000;
const PAUSE_FACTOR = 2;
/** A request is recorded within seconds; one without a run after this was refused, or its id is wrong. */
const UNKNOWN_LIMIT_MILLIS = 60_000;

export interface AwaitRunOptions {
  readonly deployment: Deployment;
  readonly runId: string;
  readonly context: CommandContext;
  /** @default without limit once the run is there, 60 seconds until it is */
  readonly timeoutMillis?: number | undefined;
  /** Asked while there is no run; a text ends the waiting with it. @default nobody is asked */
  readonly findRefusal?: () => Promise<string | undefined>;
}

export type AwaitedRun =
  /** The run is final, or BLOCKED until somebody redrives it. */
  | { readonly kind: 'settled'; readonly run: RunRecord }
  | { readonly kind: 'unfinished'; readonly run: RunRecord }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' };

export const isSettled = ({ status }: RunRecord): boolean => isFinal(status) || status === 'BLOCKED';

/** Polls until the run is settled, and tells each change on standard error. */
export async function awaitRun(options: AwaitRunOptions): Promise<AwaitedRun> {
  const { deployment, runId, context, timeoutMillis, findRefusal } = options;
  const runs = new RunStore(deployment.items);
  const start = context.now();
  let told = '';
  let seen = '';
  let nextRefusalCheck = LONGEST_PAUSE_MILLIS;
  for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * PAUSE_FACTOR, LONGEST_PAUSE_MILLIS)) {
    const run = await runs.get(runId);
    if (run !== undefined && isSettled(run)) return { kind: 'settled', run };
    const waited = context.now() - start;
    if (run === undefined && findRefusal !== undefined && waited >= nextRefusalCheck) {
      // Each look hides the dead letters for a moment, so the looks become rare.
      nextRefusalCheck = waited * 2;
      const why = await findRefusal();
      if (why !== undefined) return { kind: 'refused', why };
    }
    const limit = timeoutMillis ?? (run === undefined ? UNKNOWN_LIMIT_MILLIS : Number.POSITIVE_INFINITY);
    if (waited >= limit) return run === undefined ? { kind: 'unknown' } : { kind: 'unfinished', run };
    if (versionOf(run) !== seen) {
      seen = versionOf(run);
      const state = run === undefined ? 'not accepted yet' : await describeState(deployment, run, context.now());
      if (state !== told) context.terminal.err(`${oneLine(runId)}: ${state}`);
      told = state;
    }
    await context.pause(Math.min(pause, limit - waited));
  }
}

/** Changes with what there is to tell of the run. */
const versionOf = (run: RunRecord | undefined): string =>
  run === undefined ? 'none' : JSON.stringify([run.status, run.epoch, run.attempts, run.error]);

/** What an unfinished run is at, for people. */
export async function describeState(
  { items }: Pick<Deployment, 'items'>,
  run: RunRecord,
  now: number,
): Promise<string> {
  const waits = await readWaits(items, run);
  const waiting = waits.length === 0 ? '' : `, waiting for ${describeWaits(waits, now)}`;
  const attempt = run.attempts > 1 ? `, attempt ${run.attempts}` : '';
  const error = run.error === undefined ? '' : `, last error: ${oneLine(errorText(run.error))}`;
  return `${run.status}${waiting}${attempt}${error}`;
}
