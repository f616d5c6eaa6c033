/** What the exit status of a command says. From 64 on as in BSD's sysexits.h, so that they never mean a run. */
export const EXIT = {
  done: 0,
  /** The run is FAILED, CANCELLED or BLOCKED, or what was asked for cannot be done to it. */
  failed: 1,
  unfinished: 2,
  unknownRun: 3,
  usage: 64,
  /** The deployment cannot be found, reached or used. */
  unavailable: 69,
  /** The command itself is broken. */
  bug: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
