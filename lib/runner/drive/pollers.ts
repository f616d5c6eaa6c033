import { ensurePoller, type NeededPoller } from '../../polling/ensure-poller.ts';
import { faultCall } from '../../polling/fault-call.ts';
import type { PolledRun } from '../../polling/poll-ports.ts';
import { dueAt, PROBE_MILLIS, probeAll } from '../../polling/probe-all.ts';
import type { PollScheduler } from '../../ports/poll-scheduler.ts';
import { openEntries } from '../../store/poll-records.ts';
import { PollStore } from '../../store/poll-store.ts';
import { DUE_NEAR_MILLIS } from '../retention.ts';

export interface PollersOptions {
  /** How soon somebody looks whether they live, in milliseconds. */
  readonly checkMillis: number;
  /** End of the invocation, milliseconds since 1970. */
  readonly deadline: number;
  /** Told why a poller could not be started. */
  readonly onProblem: (error: unknown) => void;
}

/** The pollers of one run. */
export class Pollers {
  readonly #run: PolledRun;
  readonly #scheduler: PollScheduler;
  readonly #options: PollersOptions;

  constructor(run: PolledRun, scheduler: PollScheduler, options: PollersOptions) {
    this.#run = run;
    this.#scheduler = scheduler;
    this.#options = options;
  }

  /**
   * Sees to it that each of them lives. The calls of one that died without a word are probed once meanwhile; those of one that died too
   * often are given up.
   * @returns when somebody must look again, milliseconds since 1970; `undefined`: nothing is polled
   */
  async ensure(needed: readonly NeededPoller[]): Promise<number | undefined> {
    if (needed.length === 0) return undefined;
    const all = await Promise.all(needed.map((poller) => this.#ensureOne(poller)));
    const now = this.#run.ports.clock.now();
    const { checkMillis } = this.#options;
    return now + (all.every((lives) => lives) ? checkMillis : Math.min(DUE_NEAR_MILLIS, checkMillis));
  }

  /** `false`: whether it lives is not known. */
  async #ensureOne(needed: NeededPoller): Promise<boolean> {
    const { ports, runId, ttl } = this.#run;
    let found: Awaited<ReturnType<typeof ensurePoller>>;
    try {
      found = await ensurePoller({ items: ports.items, polls: this.#scheduler }, { runId, ttl }, needed);
    } catch (error) {
      this.#options.onProblem(error);
      // The scheduler or the store did not answer. The run waits all the same, and somebody looks soon.
      return false;
    }
    if (found.kind === 'polling' && !found.foundDead) return true;
    const entries = openEntries(await new PollStore(ports.items, runId, ttl).read(needed.intervalMillis));
    if (found.kind === 'given-up') {
      const reason = 'its poller died three times in a row; the log of poll-subagent says why';
      for (const entry of entries) await faultCall(this.#run, entry, reason);
      return true;
    }
    const now = ports.clock.now();
    const overdue = entries.filter((entry) => dueAt(entry) <= now);
    await probeAll(this.#run, overdue, Math.min(now + 2 * PROBE_MILLIS, this.#options.deadline));
    return true;
  }
}
