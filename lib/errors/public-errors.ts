import { AgentError } from './agent-error.ts';

/** Ends the run FAILED at once, or a durable call without further retries: repeating it cannot help. */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
}

/** A terminal error of the framework itself, with one of its codes. */
export class TerminalAgentError extends AgentError {
  override readonly name: string = 'TerminalAgentError';
}

/** `true` for errors that must not be retried. */
export function isTerminal(error: unknown): boolean {
  try {
    return error instanceof TerminalError || error instanceof TerminalAgentError;
  } catch {
    // A proxy may refuse to tell its class.
    return false;
  }
}

/** A durable call with `semantics: 'at-most-once'` was interrupted: whether its effect happened is not known. */
export class CallInterruptedError extends AgentError {
  override readonly name: string = 'CallInterruptedError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('CALL_INTERRUPTED', message, options);
  }
}

/** A durable call did not settle within its `timeoutMillis`. */
export class CallTimeoutError extends AgentError {
  override readonly name: string = 'CallTimeoutError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('CALL_TIMEOUT', message, options);
  }
}

/** The code asks for something else than the journal has recorded at that place. The run is BLOCKED until `redrive`. */
export class ReplayMismatchError extends AgentError {
  override readonly name: string = 'ReplayMismatchError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('REPLAY_MISMATCH', message, options);
  }
}

/** The call of a sub-agent was cancelled before its answer was recorded. */
export class SubagentCancelledError extends AgentError {
  override readonly name: string = 'SubagentCancelledError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('SUBAGENT_CANCELLED', message, options);
  }
}

/** A value has no stored form: `path` names the member, for instance `result.a[2].b`. */
export class NotSerializableError extends AgentError {
  override readonly name: string = 'NotSerializableError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('NOT_SERIALIZABLE', message, options);
  }
}
