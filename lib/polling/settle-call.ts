import { isTerminal, NotSerializableError } from '../errors/public-errors.ts';
import type { CallRecord } from '../store/journal.ts';
import { JournalStore } from '../store/journal-store.ts';
import { Payloads } from '../store/payloads.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { StoredText } from '../store/stored-text.ts';
import { type SubagentResult, toPlainResult } from '../subagents/subagent-result.ts';
import { encodeThrown } from '../values/error-codec.ts';
import { encodeValue } from '../values/value-codec.ts';
import type { PollPorts } from './poll-ports.ts';
import { tellRun } from './tell-run.ts';

/** Which call of which run. */
export interface CallPlace extends Pick<CallRecord, 'actionId' | 'slot' | 'ordinal'> {
  readonly runId: string;
  /** Expiry of the run's records, seconds since 1970. */
  readonly ttl: number;
}

/**
 * R2: records the answer of a call that a run waits for, tells the run, and wakes it. Whoever records an end first wins;
 * telling and waking are repeated also when it was somebody else, who may have died before them.
 * @param maxBytes largest stored answer
 */
export async function settleCall(
  ports: PollPorts,
  place: CallPlace,
  answer: SubagentResult,
  maxBytes: number,
): Promise<RunRecord | undefined> {
  const outcome = await storeAnswer(new Payloads(ports.payloads, place.runId, maxBytes), answer);
  const journal = new JournalStore(ports.items, place.runId, place.ttl);
  await journal.settleOutside(place, { ...outcome, endedAt: ports.clock.now() });
  return tellRun(ports, place.runId, 'answer', place.ordinal);
}

/** An answer that cannot be stored, or is too large, fails its call. */
export async function storeAnswer(
  payloads: Payloads,
  answer: SubagentResult,
): Promise<StoredText & Pick<CallRecord, 'status'>> {
  try {
    const text = encodeValue(toPlainResult(answer), 'the answer of the sub-agent');
    return { status: 'SUCCEEDED', ...(await payloads.save('The answer of the sub-agent', text)) };
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    return { status: 'FAILED', text: encodeThrown(error) };
  }
}

const isUnstorable = (error: unknown): boolean => isTerminal(error) || error instanceof NotSerializableError;
