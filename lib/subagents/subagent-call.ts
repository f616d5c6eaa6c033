/** One invocation of a sub-agent as its hooks see it. Computed from the run, never counted: equal in every replay. */
export interface SubagentCall {
  /** What was given to `submit`. */
  readonly prompt: unknown;
  /** The session given to `submit`, made unique to agent and key; else the `callId`. */
  readonly sessionId: string;
  readonly callId: string;
  /** `sessionId#callId`: the idempotency key of everything that the hooks ask of a remote service. */
  readonly key: string;
  /** How the remote may report the end by a message, which spares the polls. */
  readonly completion: SubagentCompletion;
}

/** Goes back in the request queue as `{ signal: { requestId, name, token, value: { result } } }` or with `value: { error }`. */
export interface SubagentCompletion {
  readonly requestId: string;
  readonly name: string;
  /** Unguessable: only who has it may complete the call. */
  readonly token: string;
}
