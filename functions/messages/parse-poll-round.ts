import * as z from 'zod';
import type { PollRound } from '../../lib/ports/poll-scheduler.ts';

const schema = z.object({
  runId: z.string().min(1),
  ttl: z.int().positive(),
  intervalMillis: z.int().positive(),
  generation: z.int().positive(),
  round: z.int().min(0),
  notBefore: z.number().min(0),
  waitSeconds: z.int().min(0),
  done: z.boolean(),
});

/** Reads what the status poller hands from round to round. @throws ZodError for anything else: only the state machine calls */
export const parsePollRound = (event: unknown): PollRound => schema.parse(event);
