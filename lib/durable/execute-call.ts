import { CallTimeoutError, isTerminal, NotSerializableError } from '../errors/public-errors.ts';
import type { Clock } from '../ports/clock.ts';
import { encodeThrown } from '../values/error-codec.ts';
import { encodeValue } from '../values/value-codec.ts';
import type { CheckedCall } from './call-options.ts';
import { insideCall } from './inside-call.ts';

export type CallOutcome =
  /** `text`: the stored value. */
  | { readonly kind: 'succeeded'; readonly text: string }
  /** `text`: the stored form of what was thrown. */
  | { readonly kind: 'failed'; readonly text: string }
  /** The reconciler could not tell: nothing is recorded, the attempt fails. */
  | { readonly kind: 'fault'; readonly error: unknown }
  /** The call was given up: nothing is recorded. */
  | { readonly kind: 'cancelled' }
  /** It failed, and the wait before it is made again is too long to stay for. */
  | { readonly kind: 'postponed'; readonly callsMade: number; readonly waitMillis: number };

/** What was done about a call before. */
export interface CallHistory {
  /** It may have had an effect that nobody recorded. */
  readonly recover: boolean;
  /** How often it has failed. */
  readonly callsMade: number;
}

type Attempt =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'thrown'; readonly error: unknown }
  | { readonly kind: 'fault'; readonly error: unknown }
  | { readonly kind: 'cancelled' };

export interface CallEnvironment {
  readonly clock: Clock;
  /** Aborts when the call is given up. */
  readonly signal: AbortSignal;
  /** Longest wait before a repetition that is waited out here, in milliseconds. */
  readonly stayMillis: number;
}

/**
 * Runs a durable call to its outcome, repeating it within its `retry` budget. Where an earlier attempt may have had an effect,
 * in this drive or before it (`recover`), the reconciler is asked instead of the call.
 */
export async function executeCall(
  call: CheckedCall,
  { recover, callsMade }: CallHistory,
  environment: CallEnvironment,
): Promise<CallOutcome> {
  const { maxAttempts = 1, initialMillis = 0, maxMillis = 0, factor = 1 } = call.retry ?? {};
  for (let attempt = callsMade + 1; ; attempt += 1) {
    const result = await attemptOnce(call, recover || attempt > 1, environment);
    switch (result.kind) {
      case 'value':
        return succeed(result.value);
      case 'fault':
      case 'cancelled':
        return result;
      case 'thrown':
        if (attempt >= maxAttempts || isTerminal(result.error))
          return { kind: 'failed', text: encodeThrown(result.error) };
    }
    const waitMillis = Math.min(initialMillis * factor ** (attempt - 1), maxMillis);
    if (waitMillis > environment.stayMillis) return { kind: 'postponed', callsMade: attempt, waitMillis };
    if (!(await wait(waitMillis, environment))) return { kind: 'cancelled' };
  }
}

function succeed(value: unknown): CallOutcome {
  try {
    return { kind: 'succeeded', text: encodeValue(value, 'result') };
  } catch (error) {
    if (!(error instanceof NotSerializableError)) throw error;
    return { kind: 'failed', text: encodeThrown(error) };
  }
}

async function attemptOnce(call: CheckedCall, recover: boolean, environment: CallEnvironment): Promise<Attempt> {
  if (environment.signal.aborted) return { kind: 'cancelled' };
  const limit = call.timeoutMillis === undefined ? undefined : new AbortController();
  const signal = limit ? AbortSignal.any([environment.signal, limit.signal]) : environment.signal;
  const thrownByCall = new Set<unknown>();
  const runCall = (): Promise<unknown> => {
    const made = (async () => call.call(signal))();
    // A reconciler need not wait for the call that it makes; a rejection that nobody handles would stop the process.
    made.catch((error: unknown) => thrownByCall.add(error));
    return made;
  };
  const reconcile = recover ? call.reconcile : undefined;
  const body = insideCall(call.id, async () => (reconcile ? reconcile(runCall, signal) : runCall())).then(
    (value): Attempt => ({ kind: 'value', value }),
    (error): Attempt => (reconcile && !thrownByCall.has(error) ? { kind: 'fault', error } : { kind: 'thrown', error }),
  );
  return settleWithin(body, call, environment, limit, reconcile !== undefined);
}

/** The attempt's outcome, or its timeout, or the end of the call: whichever comes first. A late outcome is ignored. */
function settleWithin(
  body: Promise<Attempt>,
  call: CheckedCall,
  { clock, signal }: CallEnvironment,
  limit: AbortController | undefined,
  reconciling: boolean,
): Promise<Attempt> {
  return new Promise((resolve) => {
    const timedOut = (): void => {
      const error = new CallTimeoutError(`Durable call "${call.id}" did not settle within ${call.timeoutMillis} ms.`);
      settle(reconciling ? { kind: 'fault', error } : { kind: 'thrown', error });
      limit?.abort(error);
    };
    const cancelTimer =
      call.timeoutMillis === undefined ? undefined : clock.after(call.timeoutMillis, timedOut, 'limit');
    const cancelled = (): void => settle({ kind: 'cancelled' });
    const settle = (attempt: Attempt): void => {
      cancelTimer?.();
      signal.removeEventListener('abort', cancelled);
      resolve(attempt);
    };
    if (signal.aborted) return cancelled();
    signal.addEventListener('abort', cancelled, { once: true });
    // Never rejects: what the body throws is its outcome.
    void body.then(settle);
  });
}

/** `false` when the call was given up meanwhile. */
function wait(millis: number, { clock, signal }: CallEnvironment): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const elapsed = (): void => {
      signal.removeEventListener('abort', cancelled);
      resolve(true);
    };
    const cancelTimer = clock.after(millis, elapsed, 'wait');
    const cancelled = (): void => {
      cancelTimer();
      resolve(false);
    };
    signal.addEventListener('abort', cancelled, { once: true });
  });
}
