import { AsyncLocalStorage } from 'node:async_hooks';
import { AgentError } from '../errors/agent-error.ts';

const current = new AsyncLocalStorage<string>();

/** Runs the body of a durable call; the context's methods refuse to work inside it. */
export function insideCall<T>(callId: string, body: () => T): T {
  return current.run(callId, body);
}

/** @throws AgentError `CALL_OUTSIDE_ACTION` inside a durable call, whose effects on the run would be lost in a replay */
export function refuseInsideCall(method: string): void {
  const callId = current.getStore();
  if (callId !== undefined) {
    throw new AgentError(
      'CALL_OUTSIDE_ACTION',
      `${method} was used inside durable call "${callId}". Return a value from the call and use ${method} in the action.`,
    );
  }
}
