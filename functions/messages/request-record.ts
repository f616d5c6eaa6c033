import type { SQSRecord } from 'aws-lambda';
import type { RequestMessage } from '../../lib/runner/accept/request-message.ts';

/** A record of the request queue, which is FIFO, as the runner sees it. */
export function toRequestMessage({ messageId, body, attributes }: SQSRecord): RequestMessage {
  const { MessageGroupId: groupId, SequenceNumber: sequenceNumber } = attributes;
  if (groupId === undefined || sequenceNumber === undefined) {
    throw new Error(`Message ${messageId} has no group or no sequence number. Feed accept-requests from a FIFO queue.`);
  }
  return { messageId, groupId, sequenceNumber, body };
}
