import { journalSlot } from '../store/journal.ts';
import { Payloads } from '../store/payloads.ts';
import type { PollEntry } from '../store/poll-records.ts';
import type { StoredText } from '../store/stored-text.ts';
import type { SubagentCall } from '../subagents/subagent-call.ts';
import { decodeValue } from '../values/value-codec.ts';
import type { PolledRun } from './poll-ports.ts';

/** The call as its hooks see it, as it was when it was submitted. */
export async function callOfEntry(run: PolledRun, entry: PollEntry): Promise<SubagentCall> {
  const { runId } = run;
  const { sessionId, callId, token, actionId, slot } = entry;
  const prompt = decodeValue(await loadPrompt(run, entry.prompt));
  return toSubagentCall({ runId, prompt, sessionId, callId, token, name: journalSlot(actionId, slot) });
}

async function loadPrompt({ ports, runId, prompts }: PolledRun, prompt: StoredText): Promise<string> {
  const known = prompt.reference === undefined ? undefined : prompts?.get(prompt.reference);
  const text = known ?? new Payloads(ports.payloads, runId, 0).load(prompt);
  if (prompt.reference !== undefined) prompts?.set(prompt.reference, text);
  try {
    return await text;
  } catch (error) {
    if (prompt.reference !== undefined) prompts?.delete(prompt.reference);
    throw error;
  }
}

/** Puts together what the hooks see. @param of.name names the call in its run */
export function toSubagentCall(of: {
  readonly runId: string;
  readonly prompt: unknown;
  readonly sessionId: string;
  readonly callId: string;
  readonly token: string;
  readonly name: string;
}): SubagentCall {
  const { runId, prompt, sessionId, callId, token, name } = of;
  return {
    prompt,
    sessionId,
    callId,
    key: `${sessionId}#${callId}`,
    completion: { requestId: runId, name, token },
  };
}
