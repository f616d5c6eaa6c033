/** One execution of the status poller: it polls the calls of a run with one interval. */
export interface Poller {
  readonly runId: string;
  /** Tells apart the lives of a run id: the expiry of the run's records, seconds since 1970. */
  readonly ttl: number;
  readonly intervalMillis: number;
  /** Raised whenever the one before has ended, so that each has a name of its own. */
  readonly generation: number;
}

/** What an execution hands from round to round. */
export interface PollRound extends Poller {
  /** Rounds so far. */
  readonly round: number;
  /** Before this time no call is probed again, milliseconds since 1970. */
  readonly notBefore: number;
  /** Whole seconds until the next round. */
  readonly waitSeconds: number;
  readonly done: boolean;
}

/** Starts executions of the status poller. */
export interface PollScheduler {
  /** `polling`: it runs, perhaps since an earlier start. `closed`: the execution of that name has ended, however. */
  start(poller: Poller): Promise<'polling' | 'closed'>;
}
