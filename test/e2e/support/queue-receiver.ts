import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** A message as a receiver saw it. */
export interface ReceivedMessage {
  readonly text: string;
  readonly group: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

// Well below the time after which our clients give a request up.
const WAIT_SECONDS = 5;

/** Takes every message out of a queue, as a receiver with a plain AWS SDK would, and keeps them in their order. */
export class QueueReceiver {
  readonly messages: ReceivedMessage[] = [];
  readonly #sqs: SQSClient;
  readonly #queueUrl: string;
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;

  constructor(sqs: SQSClient, queueUrl: string) {
    this.#sqs = sqs;
    this.#queueUrl = queueUrl;
    this.#loop = this.#receive();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #receive(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const command = new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      const answer = await this.#sqs.send(command, { abortSignal: signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      for (const message of answer?.Messages ?? []) {
        this.messages.push(toReceived(message));
        const { ReceiptHandle } = message;
        await this.#sqs.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle }));
      }
    }
  }
}

function toReceived({ Body = '', Attributes = {}, MessageAttributes = {} }: Message): ReceivedMessage {
  const attributes = Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [name, StringValue]);
  return {
    text: Body,
    group: Attributes.MessageGroupId,
    attributes: Object.fromEntries(attributes),
  };
}
