import { type MessageAttributeValue, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { DeadLetterQueue, RefusedMessage } from '../ports/queues.ts';
import { bodyBytes, MAX_REQUEST_BYTES, replaceForbiddenCharacters } from './sqs-body.ts';

/** Where refused messages are sent. */
export interface SqsDeadLetterQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Takes the bodies that do not fit into a message together with its attributes. */
  readonly payloads: PayloadStore;
}

const MAX_DETAIL_CHARACTERS = 1_000;
// A run's folder is its percent-encoded id, which never contains this mark.
const REFUSED_FOLDER = '!refused';

/**
 * The dead-letter queue in SQS, FIFO. A body that does not fit is kept in the payload store: the message then
 * carries the reference as JSON, as its body and as attribute `bodyReference`.
 */
export class SqsDeadLetterQueue implements DeadLetterQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #payloads: PayloadStore;

  constructor({ client, queueUrl, payloads }: SqsDeadLetterQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#payloads = payloads;
  }

  async send({ messageId, groupId, body, reason, detail }: RefusedMessage): Promise<void> {
    const attributes = {
      reason: textAttribute(reason),
      detail: textAttribute(detail.slice(0, MAX_DETAIL_CHARACTERS)),
      messageId: textAttribute(messageId),
    };
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageGroupId: groupId,
        MessageDeduplicationId: messageId,
        ...(await this.#fit(messageId, replaceForbiddenCharacters(body), attributes)),
      }),
    );
  }

  async #fit(messageId: string, body: string, attributes: Record<string, MessageAttributeValue>) {
    if (bodyBytes(body) + attributeBytes(attributes) <= MAX_REQUEST_BYTES) {
      return { MessageBody: body, MessageAttributes: attributes };
    }
    // A folder of its own: the body of an earlier message, though equal, expires earlier than this one is read.
    const reference = JSON.stringify(await this.#payloads.put(`${REFUSED_FOLDER}/${messageId}`, body));
    return { MessageBody: reference, MessageAttributes: { ...attributes, bodyReference: textAttribute(reference) } };
  }
}

// SQS refuses an empty attribute.
function textAttribute(text: string): MessageAttributeValue {
  return { DataType: 'String', StringValue: replaceForbiddenCharacters(text) || '-' };
}

function attributeBytes(attributes: Record<string, MessageAttributeValue>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { DataType = '', StringValue = '' }]) =>
      sum + bodyBytes(name) + bodyBytes(DataType) + bodyBytes(StringValue),
    0,
  );
}
