import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { bodyBytes, escapeJsonBody, MAX_REQUEST_BYTES } from '../adapters/sqs-body.ts';
import { AgentError } from '../errors/agent-error.ts';
import type { MessageAttribute, OutgoingRequest, RequestQueue } from './deployment.ts';

/** The request queue in SQS. */
export class SqsRequestQueue implements RequestQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send({ body, groupId, deduplicationId, attributes = {} }: OutgoingRequest): Promise<string> {
    const text = escapeJsonBody(body);
    const bytes = bodyBytes(text) + attributeBytes(attributes);
    if (bytes > MAX_REQUEST_BYTES) {
      throw new AgentError(
        'PAYLOAD_TOO_LARGE',
        `The request has ${bytes} bytes, but SQS takes ${MAX_REQUEST_BYTES}. Store the input elsewhere and send a reference to it.`,
      );
    }
    const { MessageId = '' } = await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: text,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
        MessageAttributes: attributes,
      }),
    );
    return MessageId;
  }
}

/** SQS counts names, types and values. */
function attributeBytes(attributes: Readonly<Record<string, MessageAttribute>>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue }]) =>
      sum + bodyBytes(name) + bodyBytes(DataType) + bodyBytes(StringValue) + (BinaryValue?.byteLength ?? 0),
    0,
  );
}
