import { AgentError, type AgentErrorCode } from '../errors/agent-error.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Holds agents, actions and resources to names that ids, queues and metrics can carry. */
export function checkName(code: AgentErrorCode, what: string, name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new AgentError(
    code,
    `${what} is named ${JSON.stringify(name)}. Use 1 to 64 letters, digits, "_", "." and "-", beginning with a letter or digit.`,
  );
}
