import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { checkId } from '../store/keys.ts';
import { digestJson } from '../values/digest.ts';
import { checkJson } from '../values/json-value.ts';
import type { DurableCall } from './durable-call.ts';

/** `setTimeout` fires at once for more than 2^31 - 1 ms. */
const MAX_MILLIS = 2_147_483_647;

const millis = z.number().positive().max(MAX_MILLIS);

const schema = z.strictObject({
  id: z.string(),
  call: z.custom<DurableCall<unknown>['call']>((value) => typeof value === 'function', 'must be a function'),
  args: z.unknown().optional(),
  reconcile: z
    .custom<NonNullable<DurableCall<unknown>['reconcile']>>(
      (value) => typeof value === 'function',
      'must be a function',
    )
    .optional(),
  retry: z
    .strictObject({
      maxAttempts: z.int().positive().max(1_000).default(3),
      initialMillis: millis.default(500),
      maxMillis: millis.default(10_000),
      factor: z.number().min(1).max(100).default(2),
    })
    .optional(),
  timeoutMillis: millis.optional(),
  semantics: z.enum(['at-least-once', 'at-most-once']).default('at-least-once'),
});

export type CheckedCall = z.output<typeof schema> & { readonly argsDigest: string | undefined };

/** Checks what user code gave to `durableExecute`. @throws AgentError `INVALID_CALL`, `NOT_SERIALIZABLE` */
export function checkCall(call: unknown): CheckedCall {
  const parsed = schema.safeParse(call);
  if (!parsed.success)
    throw new AgentError(
      'INVALID_CALL',
      `The options of durableExecute are not valid. ${z.prettifyError(parsed.error)}`,
    );
  const { data } = parsed;
  checkId('The id of a durable call', data.id);
  if (data.reconcile !== undefined && data.semantics === 'at-most-once') {
    throw new AgentError(
      'INVALID_CALL',
      `Durable call "${data.id}" has a reconciler and semantics 'at-most-once'. Give one of them: a reconciler already finds out what happened.`,
    );
  }
  if (data.retry !== undefined && data.semantics === 'at-most-once') {
    throw new AgentError(
      'INVALID_CALL',
      `Durable call "${data.id}" has a retry budget and semantics 'at-most-once'. Give one of them: a call that failed may have had its effect.`,
    );
  }
  if (data.args === undefined) return { ...data, argsDigest: undefined };
  checkJson(data.args, `args of durable call "${data.id}"`);
  return { ...data, argsDigest: digestJson(data.args) };
}

/** Whether PENDING is written before the call, so that a crash leaves a trace of it. */
export const announcesItself = (call: CheckedCall): boolean =>
  call.reconcile !== undefined || call.semantics === 'at-most-once';
