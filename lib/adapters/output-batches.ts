import { AgentError } from '../errors/agent-error.ts';
import type { OutputMessage } from '../ports/queues.ts';
import { bodyBytes, escapeJsonBody, MAX_REQUEST_BYTES } from './sqs-body.ts';

// SQS: a batch has at most ten entries.
const MAX_BATCH_ENTRIES = 10;

/**
 * Splits messages, in their order, into batches that SQS takes.
 * @throws AgentError `PAYLOAD_TOO_LARGE` when a single message is above the limit
 */
export function toOutputBatches(messages: readonly OutputMessage[]): readonly (readonly OutputMessage[])[] {
  const batches: OutputMessage[][] = [];
  let current: OutputMessage[] = [];
  let currentBytes = 0;
  for (const message of messages) {
    const body = escapeJsonBody(message.body);
    const bytes = bodyBytes(body);
    if (bytes > MAX_REQUEST_BYTES) {
      throw new AgentError(
        'PAYLOAD_TOO_LARGE',
        `Output "${message.deduplicationId}" has ${bytes} bytes, above ${MAX_REQUEST_BYTES}. Send a reference instead.`,
      );
    }
    if (current.length === 0 || current.length === MAX_BATCH_ENTRIES || currentBytes + bytes > MAX_REQUEST_BYTES) {
      current = [];
      currentBytes = 0;
      batches.push(current);
    }
    current.push({ ...message, body });
    currentBytes += bytes;
  }
  return batches;
}
