import type { SQSBatchResponse } from 'aws-lambda';

/** Tells Lambda which messages of a batch are to be delivered again; all others are deleted. */
export const toBatchResponse = (messageIds: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })),
});
