import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetter, DeadLetterBox, MessageAttribute } from './deployment.ts';
import { isAccessDenied } from './describe-failure.ts';

/** Long enough to look through a queue; when the command is killed, the messages are back after it. */
const HIDDEN_SECONDS = 60;
/** The most that SQS takes in one request. */
const BATCH = 10;

export interface SqsDeadLetterBoxOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Above 0 every server of SQS is asked, so that an empty answer means an empty queue. @default 1 */
  readonly waitSeconds?: number;
}

/** The requests' dead-letter queue in SQS. */
export class SqsDeadLetterBox implements DeadLetterBox {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #waitSeconds: number;

  constructor({ client, queueUrl, waitSeconds = 1 }: SqsDeadLetterBoxOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#waitSeconds = waitSeconds;
  }

  async receive(): Promise<readonly DeadLetter[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: BATCH,
        VisibilityTimeout: HIDDEN_SECONDS,
        WaitTimeSeconds: this.#waitSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['MessageDeduplicationId', 'MessageGroupId'],
      }),
    );
    return Messages.map(toDeadLetter);
  }

  async delete({ receipt }: DeadLetter): Promise<void> {
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: receipt }));
  }

  async release(letters: readonly DeadLetter[]): Promise<void> {
    for (let start = 0; start < letters.length; start += BATCH) {
      const Entries = letters
        .slice(start, start + BATCH)
        .map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt, VisibilityTimeout: 0 }));
      try {
        await this.#client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: this.#queueUrl, Entries }));
      } catch (error) {
        // Who may not do that waits: the messages are back when their hiding ends.
        if (!isAccessDenied(error)) throw error;
      }
    }
  }

  async countVisible(): Promise<number> {
    const { Attributes = {} } = await this.#client.send(
      new GetQueueAttributesCommand({ QueueUrl: this.#queueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    return Number(Attributes.ApproximateNumberOfMessages ?? 0);
  }
}

function toDeadLetter(message: Message): DeadLetter {
  const { MessageAttributes = {}, Attributes = {}, MessageId = '', ReceiptHandle = '', Body = '' } = message;
  const text = (name: string): string | undefined => MessageAttributes[name]?.StringValue;
  const reason = text('reason');
  return {
    messageId: MessageId,
    receipt: ReceiptHandle,
    deduplicationId: Attributes.MessageDeduplicationId ?? MessageId,
    groupId: Attributes.MessageGroupId ?? MessageId,
    body: Body,
    ...(reason === undefined
      ? {}
      : { refusal: { reason, detail: text('detail') ?? '', messageId: text('messageId') } }),
    attributes: Object.fromEntries(Object.entries(MessageAttributes).map(([name, value]) => [name, toSend(value)])),
  };
}

/** An attribute as it may be sent again: what is received has empty lists that SQS refuses. */
function toSend({ DataType = 'String', StringValue, BinaryValue }: MessageAttributeValue): MessageAttribute {
  return {
    DataType,
    ...(StringValue === undefined ? {} : { StringValue }),
    ...(BinaryValue === undefined ? {} : { BinaryValue }),
  };
}
