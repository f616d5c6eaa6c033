import type { OutputMessage } from '../../ports/queues.ts';
import type { Payloads } from '../../store/payloads.ts';
import type { RunOutcome, RunRecord } from '../../store/run-record.ts';
import { digestParts } from '../../values/digest.ts';
import { decodeThrown, describeThrown } from '../../values/error-codec.ts';
import { decodeValue } from '../../values/value-codec.ts';
import type { RunOutput } from '../engine/engine-outcome.ts';

/** A larger output is sent as a reference: a message holds 1 MiB, but each 64 KB of it is a request. */
const MAX_OUTPUT_BYTES = 204_800;

/** Group of a run's messages: the key's when it has one. A digest, since SQS takes printable ASCII only. */
const groupOf = (run: RunRecord): string =>
  run.key === undefined ? digestParts('run', run.runId) : digestParts('key', run.agent, run.key);

const heading = (run: RunRecord) => ({
  requestId: run.runId,
  agent: run.agent,
  ...(run.key === undefined ? {} : { key: run.key }),
});

/** One message per output, in the order in which they were sent. */
export async function outputMessage(run: RunRecord, output: RunOutput, payloads: Payloads): Promise<OutputMessage> {
  const { output: payload } = decodeValue(output.text) as { readonly output: unknown };
  const text = JSON.stringify(payload);
  const large = Buffer.byteLength(text, 'utf8') > MAX_OUTPUT_BYTES;
  const body = large ? { output: await payloads.saveOutside(text) } : { output: payload };
  return {
    groupId: groupOf(run),
    deduplicationId: output.eventId,
    body: JSON.stringify({ ...heading(run), eventId: output.eventId, ...body }),
  };
}

/** The last message of a run, or of a life of it: `{ requestId, agent, key?, status, error? }`. */
export function statusMessage(run: RunRecord, status: RunOutcome): OutputMessage {
  const error =
    status === 'FAILED' && run.error !== undefined ? { error: describeThrown(decodeThrown(run.error)) } : {};
  return {
    groupId: groupOf(run),
    deduplicationId: digestParts('final', run.runId, run.redrives),
    body: JSON.stringify({ ...heading(run), status, ...error }),
  };
}
