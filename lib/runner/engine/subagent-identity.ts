import * as z from 'zod';
import { AgentError } from '../../errors/agent-error.ts';
import { checkId } from '../../store/keys.ts';
import { digestParts } from '../../values/digest.ts';

const submitOptions = z.strictObject({ sessionId: z.string().optional() });

/** @throws AgentError `INVALID_CALL` */
export function checkSubmit(options: unknown = {}): { readonly sessionId: string | undefined } {
  const parsed = submitOptions.safeParse(options);
  if (!parsed.success)
    throw new AgentError('INVALID_CALL', `The options of submit are not valid. ${z.prettifyError(parsed.error)}`);
  const { sessionId } = parsed.data;
  if (sessionId !== undefined) checkId('The session id', sessionId);
  return { sessionId };
}

/** Id of one call: computed from its place, so that every replay gives the remote the same one. @param slot name and occurrence */
export const callIdOf = (runId: string, actionId: string, slot: string): string =>
  digestParts('subagent', runId, actionId, slot);

/** A session as the remote sees it: of two keys or agents never the same, whatever their authors call it. */
export const sessionIdOf = (
  scope: { readonly agent: string; readonly key: string | undefined; readonly runId: string },
  given: string,
): string =>
  scope.key === undefined
    ? digestParts('session of run', scope.runId, given)
    : digestParts('session', scope.agent, scope.key, given);
