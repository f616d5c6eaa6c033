import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Wake, WakeQueue } from '../ports/queues.ts';
import { escapeJsonBody } from './sqs-body.ts';

/** Where wakes are sent. */
export interface SqsWakeQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/** The wake queue in SQS. */
export class SqsWakeQueue implements WakeQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor({ client, queueUrl }: SqsWakeQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send({ runId, reason }: Wake, delaySeconds = 0): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: escapeJsonBody(JSON.stringify({ runId, reason })),
        DelaySeconds: delaySeconds,
      }),
    );
  }
}
