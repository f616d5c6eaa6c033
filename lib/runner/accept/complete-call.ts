import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { PlanSet } from '../../agent/plan.ts';
import { settleCall } from '../../polling/settle-call.ts';
import { hasEnded } from '../../polling/tell-run.ts';
import { parseJournalSlot } from '../../store/journal.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { PollStore } from '../../store/poll-store.ts';
import { RunStore } from '../../store/run-store.ts';
import { SubagentResult } from '../../subagents/subagent-result.ts';
import type { StorePorts } from '../runner-ports.ts';
import { issuesText } from './issues-text.ts';
import { refuse, type SignalRequest } from './request-message.ts';
import type { SignalResult } from './signal-run.ts';

const answerSchema = z.union([z.strictObject({ result: z.unknown() }), z.strictObject({ error: z.string().min(1) })]);

/** A remote reports by a message how a call has ended, before any poll finds out. May be repeated: the first end counts. */
export async function completeCall(
  plans: PlanSet,
  ports: StorePorts,
  { requestId: runId, name, value }: SignalRequest,
  token: string,
): Promise<SignalResult> {
  const run = await new RunStore(ports.items).get(runId);
  const place = parseJournalSlot(name);
  const record =
    run && place && (await new JournalStore(ports.items, runId, run.ttl).getCall(place.actionId, place.slot));
  // One answer for a run, a call and a token that there are not: who guesses learns nothing.
  if (run === undefined || record?.token === undefined || !areEqual(record.token, token)) {
    return refuse(
      'INVALID_TOKEN',
      'There is no such call, or the token is not its own. Send back "requestId", "name" and "token" of SubagentCall.completion as they are.',
    );
  }
  const answer = answerSchema.safeParse(value);
  if (!answer.success) {
    return refuse(
      'INVALID_INPUT',
      `The value completes no call. ${issuesText(answer.error)} Send { "result": … } or { "error": "…" }.`,
    );
  }
  if (hasEnded(run)) return { kind: 'nothing-to-do', runId, why: `the run is ${run.status}` };
  const { actionId, slot, ordinal, intervalMillis = 0 } = record;
  const { data } = answer;
  const result = 'error' in data ? SubagentResult.error(data.error) : SubagentResult.ok(data.result ?? null);
  const config = plans.configOf(run.agent);
  await settleCall(ports, { runId, ttl: run.ttl, actionId, slot, ordinal }, result, config['payload.max-bytes']);
  await new PollStore(ports.items, runId, run.ttl).deleteEntry({ intervalMillis, ordinal });
  return { kind: 'signalled', runId };
}

/** In a time that says nothing about where they differ. */
function areEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
