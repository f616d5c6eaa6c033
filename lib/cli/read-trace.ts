import { AgentError } from '../errors/agent-error.ts';
import { decodeBody, type EmittedEvent } from '../runner/engine/action-body.ts';
import { journalSlot } from '../store/journal.ts';
import { JournalStore } from '../store/journal-store.ts';
import { Payloads } from '../store/payloads.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { StoredText } from '../store/stored-text.ts';
import type { Deployment } from './deployment.ts';
import type { TraceRecords } from './trace-model.ts';

/** Reads all that the store holds of a run. What is missing from the bucket is left out. */
export async function readTrace(
  { items, payloads }: Pick<Deployment, 'items' | 'payloads'>,
  run: RunRecord,
): Promise<TraceRecords> {
  const { journal, input } = await new JournalStore(items, run.runId, run.ttl).read();
  // Nothing is saved here, so no limit applies.
  const stored = new Payloads(payloads, run.runId, Number.POSITIVE_INFINITY);
  const load = (text: StoredText): Promise<string | undefined> => stored.load(text).catch(ignoreMissing);
  const events = new Map<string, readonly EmittedEvent[]>();
  for (const action of journal.actions.values()) {
    const body = await load(action);
    if (body !== undefined) events.set(action.actionId, decodeBody(body).events);
  }
  const thrown = new Map<string, string>();
  for (const call of journal.calls.values()) {
    const error = call.status === 'FAILED' ? await load(call) : undefined;
    if (error !== undefined) thrown.set(journalSlot(call.actionId, call.slot), error);
  }
  const inputText = run.input ?? (input && (await load(input)));
  return { run, journal, inputText, events, thrown };
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof AgentError && error.code === 'PAYLOAD_MISSING')) throw error;
  return undefined;
}
