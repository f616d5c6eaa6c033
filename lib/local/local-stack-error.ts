import { AgentError } from '../errors/agent-error.ts';

/** What stops the local stack: the fact, then the remedy. */
export function localStackError(message: string, options?: { readonly cause?: unknown }): AgentError {
  return new AgentError('LOCAL_STACK_FAILED', message, options);
}
