import type { FunctionError } from './worker-messages.ts';

/** How one invocation of a function ended. */
export type InvocationOutcome =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  /** The handler threw. */
  | { readonly kind: 'failed'; readonly error: FunctionError }
  /** The function's timeout passed; its process was killed. */
  | { readonly kind: 'timed-out'; readonly timeoutMillis: number }
  /** The process ended: an exception nobody caught, out of memory, or killed from outside. */
  | { readonly kind: 'crashed'; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  /** The bundle could not be loaded. */
  | { readonly kind: 'not-started'; readonly error: FunctionError };

export interface InvocationRecord {
  readonly functionName: string;
  readonly requestId: string;
  /** `undefined` when no process could be started. */
  readonly pid: number | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: InvocationOutcome['kind'];
}

/** One line for the log, in the shape of Lambda's `platform.runtimeDone`. `undefined`: nothing worth a line. */
export function describeOutcome(requestId: string, outcome: InvocationOutcome): string | undefined {
  if (outcome.kind === 'succeeded') return undefined;
  const { kind, ...details } = outcome;
  return JSON.stringify({ type: 'platform.runtimeDone', record: { requestId, status: kind, ...details } });
}
