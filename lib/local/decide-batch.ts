import * as z from 'zod';
import type { InvocationOutcome } from './invocation.ts';

export interface BatchDecision {
  /** Ids of the messages to delete. All others come back when their visibility timeout ends. */
  readonly deleted: readonly string[];
  /** Why the whole batch counts as failed although the handler returned. */
  readonly problem?: string;
}

const responseSchema = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullable(),
});

/**
 * Which messages of a batch Lambda would delete. `null`, `{}` and an empty or `null` list of failures are a success.
 * Every other shape fails the whole batch, and so does an id that is empty or not of this batch.
 */
export function decideBatch(
  messageIds: readonly string[],
  outcome: InvocationOutcome,
  reportsItemFailures: boolean,
): BatchDecision {
  if (outcome.kind !== 'succeeded') return { deleted: [] };
  if (!reportsItemFailures || isEmptyResponse(outcome.result)) return { deleted: messageIds };
  const response = responseSchema.safeParse(outcome.result);
  if (!response.success) {
    return { deleted: [], problem: 'The handler did not return { batchItemFailures: [{ itemIdentifier }] }.' };
  }
  const failed = new Set((response.data.batchItemFailures ?? []).map((item) => item.itemIdentifier));
  const unknown = [...failed].filter((id) => !messageIds.includes(id));
  if (unknown.length > 0) {
    return { deleted: [], problem: `The handler reported ids that are not in the batch: ${unknown.join(', ')}.` };
  }
  return { deleted: messageIds.filter((id) => !failed.has(id)) };
}

const isEmptyResponse = (result: unknown): boolean =>
  result === null || (typeof result === 'object' && !Array.isArray(result) && Object.keys(result).length === 0);
