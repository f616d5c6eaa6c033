import type { AgentPlan } from '../../agent/plan.ts';
import { sequenceKey } from '../../store/keys.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { toRunItem } from '../../store/run-record.ts';
import { digestJson } from '../../values/digest.ts';
import { dueShard } from '../due-index.ts';
import { DUE_NEAR_MILLIS, runExpiry } from '../retention.ts';
import type { RequestMessage, RunRequest } from './request-message.ts';

/** A write unit is 1 KB; what a claim adds to the record needs about a fifth of it. */
const RECORD_BYTES = 1_024;
const CLAIM_BYTES = 200;

/** The record of a run that was just requested. The input stands in it when the record still fits one write unit. */
export function newRun(options: {
  readonly plan: AgentPlan;
  readonly message: RequestMessage;
  readonly request: RunRequest;
  readonly inputText: string;
  readonly now: number;
}): { readonly run: RunRecord; readonly inputApart: boolean } {
  const { plan, message, request, inputText, now } = options;
  const runId = request.requestId ?? message.messageId;
  const run: RunRecord = {
    runId,
    agent: plan.name,
    ...(request.key === undefined ? {} : { key: request.key }),
    status: request.key === undefined ? 'RUNNING' : 'PARKED',
    epoch: 0,
    wakeCount: 0,
    attempts: 0,
    factsAtClaim: 0,
    redrives: 0,
    dueAt: now + DUE_NEAR_MILLIS,
    shard: dueShard(runId),
    digest: digestJson({ agent: request.agent, key: request.key, input: request.input }),
    sequence: sequenceKey(message.sequenceNumber),
    planDigest: plan.digest,
    ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    hops: 0,
    createdAt: now,
    ttl: runExpiry(now, plan.config),
  };
  const withInput = { ...run, input: inputText };
  const inputApart = recordBytes(withInput) > RECORD_BYTES - CLAIM_BYTES;
  return { run: inputApart ? run : withInput, inputApart };
}

/** Size of the stored record: names and values. A number takes about half its digits; counted whole, the estimate is on the safe side. */
function recordBytes(run: RunRecord): number {
  return Object.entries(toRunItem(run)).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(String(value), 'utf8'),
    0,
  );
}
