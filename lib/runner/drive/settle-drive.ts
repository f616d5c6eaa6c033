import type { Config } from '../../agent/config.ts';
import type { PlanSet } from '../../agent/plan.ts';
import { AgentError } from '../../errors/agent-error.ts';
import type { RunOutcome, RunRecord } from '../../store/run-record.ts';
import { RunStore, type RunWriteResult } from '../../store/run-store.ts';
import { endRun, type RunResults } from '../end/end-run.ts';
import { encodeRunError } from '../end/run-error.ts';
import type { EngineOutcome } from '../engine/engine-outcome.ts';
import { DUE_NEAR_MILLIS, endOfAge } from '../retention.ts';
import type { DrivePorts } from '../runner-ports.ts';
import { traceRun } from '../trace-run.ts';

export type DriveResult =
  | { readonly kind: 'ended'; readonly outcome: RunOutcome }
  | { readonly kind: 'dropped'; readonly why: string }
  | { readonly kind: 'parked' }
  /** Another attempt follows in so many milliseconds. */
  | { readonly kind: 'retried'; readonly afterMillis: number; readonly error: unknown }
  | { readonly kind: 'continued' }
  /** The run waits for something outside. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'blocked'; readonly error: unknown }
  /** Somebody else owns the run, or may own it. */
  | { readonly kind: 'lost' };

export interface SettleOptions {
  readonly plans: PlanSet;
  readonly ports: DrivePorts;
  readonly config: Config;
  /** The record as the claim left it. */
  readonly run: RunRecord;
  /** Records that this drive added to the journal. */
  readonly newFacts: number;
}

/** The longest delay of a message, hence of a wait between attempts. */
const MAX_BACKOFF_MILLIS = 900_000;

/** D7 to D9: what the end of a drive does to its run. */
export async function settleDrive(options: SettleOptions, outcome: EngineOutcome): Promise<DriveResult> {
  switch (outcome.kind) {
    case 'quiescent':
      return end(options, 'COMPLETED', undefined, outcome);
    case 'failed':
      return end(options, 'FAILED', outcome.error);
    case 'cancelled':
      return end(options, 'CANCELLED', undefined);
    case 'attempt-failed':
      return failAttempt(options, outcome.error);
    case 'mismatch':
      return block(options, outcome.error);
    case 'suspended':
      return suspended(options, outcome.until);
    case 'continue':
      return continueRun(options);
    case 'lost':
      return { kind: 'lost' };
  }
}

async function end(
  options: SettleOptions,
  outcome: RunOutcome,
  error: unknown,
  results?: RunResults,
): Promise<DriveResult> {
  const { plans, ports, run } = options;
  const change = {
    outcome,
    dueAt: ports.clock.now() + DUE_NEAR_MILLIS,
    ...(outcome === 'FAILED' ? { error: encodeRunError(error) } : {}),
  };
  const fixed = await new RunStore(ports.items).fixOutcome(run.runId, run.epoch, change);
  if (fixed.kind === 'refused' && !isOwnRetry(fixed, run)) {
    if (isStillDriven(fixed, run) && outcome !== 'CANCELLED') return end(options, 'CANCELLED', undefined);
    return { kind: 'lost' };
  }
  await endRun(plans, ports, run.runId, results);
  return { kind: 'ended', outcome };
}

/** The store applied the write, but the answer to it was lost and the request repeated. */
const isOwnRetry = (refused: Extract<RunWriteResult, { kind: 'refused' }>, run: RunRecord): boolean =>
  refused.run?.status === 'COMPLETING' && refused.run.epoch === run.epoch && refused.run.owner === run.owner;

/** The run is still ours: only a cancel mark stood against the write. */
const isStillDriven = (refused: Extract<RunWriteResult, { kind: 'refused' }>, run: RunRecord): boolean =>
  refused.run?.status === 'RUNNING' && refused.run.epoch === run.epoch && refused.run.cancelMark !== undefined;

async function failAttempt(options: SettleOptions, error: unknown): Promise<DriveResult> {
  const { ports, config, run, newFacts } = options;
  // An attempt that brought something new is not counted.
  const wasted = newFacts > 0 ? 0 : run.attempts;
  if (wasted >= config['run.max-attempts']) return end(options, 'FAILED', error);
  const afterMillis = Math.min(config['run.retry-initial-millis'] * 2 ** Math.max(wasted - 1, 0), MAX_BACKOFF_MILLIS);
  const dueAt = ports.clock.now() + afterMillis;
  const released = await new RunStore(ports.items).release(run.runId, run.epoch, {
    notBefore: dueAt,
    dueAt,
    error: encodeRunError(error),
  });
  if (released.kind === 'refused') return { kind: 'lost' };
  // Whole seconds, not before the time: an early wake would be dropped.
  await wake(ports, released.run, 'retry', Math.ceil(afterMillis / 1_000));
  return { kind: 'retried', afterMillis, error };
}

async function continueRun(options: SettleOptions): Promise<DriveResult> {
  const { ports, config, run } = options;
  const hops = run.hops + 1;
  if (hops > config['run.max-hops']) {
    const error = new AgentError(
      'HOP_LIMIT',
      `The run was continued ${run.hops} times, the limit is ${config['run.max-hops']} ("run.max-hops"). Raise it, or split the work into several runs.`,
    );
    return end(options, 'FAILED', error);
  }
  const released = await new RunStore(ports.items).release(run.runId, run.epoch, {
    hops,
    dueAt: ports.clock.now() + DUE_NEAR_MILLIS,
  });
  if (released.kind === 'refused') return { kind: 'lost' };
  await wake(ports, released.run, 'continue', 0);
  return { kind: 'continued' };
}

/** A message is at most so late; whatever is due later is found by the sweep. */
const MAX_DELAY_MILLIS = 900_000;

/** The run is recorded as SUSPENDED; a wake for its next moment saves up to a minute of waiting for the sweep. */
async function suspended({ ports, run }: SettleOptions, until: number | undefined): Promise<DriveResult> {
  const millis = until === undefined ? Number.POSITIVE_INFINITY : until - ports.clock.now();
  if (millis <= MAX_DELAY_MILLIS) {
    await ports.wakes.send({ runId: run.runId, reason: 'timer' }, Math.max(Math.ceil(millis / 1_000), 0));
  }
  traceRun(ports, run, { kind: 'suspended' });
  return { kind: 'suspended' };
}

/** A cancel that met the driven run sent no wake: its run does not wait for the next attempt. */
async function wake(
  ports: DrivePorts,
  run: RunRecord,
  reason: 'retry' | 'continue',
  delaySeconds: number,
): Promise<void> {
  if (run.cancelMark !== undefined) await ports.wakes.send({ runId: run.runId, reason: 'cancel' });
  else await ports.wakes.send({ runId: run.runId, reason }, delaySeconds);
}

async function block(options: SettleOptions, error: unknown): Promise<DriveResult> {
  const { ports, config, run } = options;
  const change = {
    error: encodeRunError(error),
    dueAt: endOfAge(run.createdAt, config),
    attempts: Math.max(run.attempts - 1, 0),
  };
  const blocked = await new RunStore(ports.items).block(run.runId, run.epoch, change);
  if (blocked.kind === 'refused') {
    if (isStillDriven(blocked, run)) return end(options, 'CANCELLED', undefined);
    if (blocked.run?.status !== 'BLOCKED' || blocked.run.epoch !== run.epoch) return { kind: 'lost' };
  }
  traceRun(ports, run, { kind: 'blocked', error });
  return { kind: 'blocked', error };
}
