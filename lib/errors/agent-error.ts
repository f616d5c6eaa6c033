/** The closed set of codes that a caller may branch on. */
export type AgentErrorCode =
  | 'INVALID_AGENT'
  | 'DUPLICATE_AGENT'
  | 'DUPLICATE_ACTION'
  | 'DUPLICATE_RESOURCE'
  | 'INVALID_RESOURCE'
  | 'INVALID_SUBAGENT'
  | 'SUBAGENT_FAILED'
  | 'SUBAGENT_FAULT'
  | 'SUBAGENT_CANCELLED'
  | 'UNKNOWN_RESOURCE'
  | 'UNKNOWN_EVENT_TYPE'
  | 'INVALID_EVENT'
  | 'INVALID_CONFIG'
  | 'INVALID_CALL'
  | 'INVALID_ENVIRONMENT'
  | 'CALL_OUTSIDE_ACTION'
  | 'NOT_SERIALIZABLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'PAYLOAD_MISSING'
  | 'INVALID_SIGNAL'
  | 'CALL_TIMEOUT'
  | 'CALL_INTERRUPTED'
  | 'UNAWAITED_CALL'
  | 'REPLAY_MISMATCH'
  | 'ATTEMPTS_EXHAUSTED'
  | 'HOP_LIMIT'
  | 'RUN_EXPIRED'
  | 'UNKNOWN_RUN'
  | 'STACK_NOT_FOUND'
  | 'LOCAL_STACK_FAILED';

/** The base of every error that the framework throws. The message states the fact, then the remedy. */
export class AgentError extends Error {
  override readonly name: string = 'AgentError';
  readonly code: string;

  constructor(code: AgentErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
