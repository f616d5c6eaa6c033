import { setTimeout as pause } from 'node:timers/promises';
import { type BatchResultErrorEntry, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OutputMessage, OutputQueue } from '../ports/queues.ts';
import { toOutputBatches } from './output-batches.ts';

/** Where outputs are sent. */
export interface SqsOutputQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Pause before failed entries are sent again, doubled each time. @default 100 */
  readonly retryMillis?: number;
}

// Together with the client's own attempts this outlasts a short disturbance, and stays far below a driver's lease.
const MAX_ATTEMPTS = 5;

/** The output queue in SQS. Entries that SQS failed to take are sent again, the others are not. */
export class SqsOutputQueue implements OutputQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #retryMillis: number;

  constructor({ client, queueUrl, retryMillis = 100 }: SqsOutputQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#retryMillis = retryMillis;
  }

  async send(messages: readonly OutputMessage[]): Promise<void> {
    for (const batch of toOutputBatches(messages)) {
      await this.#sendBatch(batch);
    }
  }

  async #sendBatch(batch: readonly OutputMessage[]): Promise<void> {
    let waiting = batch;
    for (let attempt = 1; ; attempt += 1) {
      const failed = await this.#trySend(waiting);
      if (failed.length === 0) {
        return;
      }
      if (attempt === MAX_ATTEMPTS) {
        throw new Error(
          `SQS did not take ${failed.length} outputs in ${MAX_ATTEMPTS} attempts (${failed[0]?.code}). Send them again.`,
        );
      }
      waiting = failed.map(({ message }) => message);
      await pause(this.#retryMillis * 2 ** (attempt - 1));
    }
  }

  async #trySend(messages: readonly OutputMessage[]): Promise<readonly { message: OutputMessage; code: string }[]> {
    const { Successful = [], Failed = [] } = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: messages.map(({ groupId, deduplicationId, body }, index) => ({
          Id: String(index),
          MessageGroupId: groupId,
          MessageDeduplicationId: deduplicationId,
          MessageBody: body,
        })),
      }),
    );
    const taken = new Set(Successful.map(({ Id }) => Id));
    const refusals = new Map(Failed.map((entry) => [entry.Id, entry]));
    return messages.flatMap((message, index) => {
      const id = String(index);
      return taken.has(id) ? [] : [{ message, code: retryableCode(message, refusals.get(id)) }];
    });
  }
}

function retryableCode({ deduplicationId }: OutputMessage, refusal: BatchResultErrorEntry | undefined): string {
  if (refusal === undefined) {
    throw new Error(`SQS did not account for output "${deduplicationId}". Send it again.`);
  }
  if (refusal.SenderFault) {
    throw new Error(
      `SQS refuses output "${deduplicationId}": ${refusal.Code}, ${refusal.Message ?? 'no message'}. Mend the message.`,
    );
  }
  return refusal.Code ?? 'no code';
}
