import * as z from 'zod';
import type { Wake, WakeReason } from '../../lib/ports/queues.ts';

const reasons: Record<WakeReason, WakeReason> = {
  accepted: 'accepted',
  'handed-over': 'handed-over',
  retry: 'retry',
  continue: 'continue',
  cancel: 'cancel',
  redrive: 'redrive',
  signal: 'signal',
  answer: 'answer',
  timer: 'timer',
  due: 'due',
};

// The most that a run id has. The store refuses keys of a longer one, so its wake would come back again and again.
const MAX_RUN_ID_BYTES = 128;

const schema = z.object({
  runId: z
    .string()
    .min(1)
    .refine((id) => Buffer.byteLength(id) <= MAX_RUN_ID_BYTES),
  // Only a hint for the log. During a deployment a newer version may give one that this one does not know.
  reason: z.enum(reasons).catch('due'),
});

/** Reads the body of a wake; `undefined` when it is none. */
export function parseWake(body: string): Wake | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
