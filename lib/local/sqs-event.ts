import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSMessageAttribute, SQSRecord, SQSRecordAttributes } from 'aws-lambda';

export interface SqsEventOptions {
  readonly messages: readonly Message[];
  readonly queueArn: string;
  readonly region: string;
}

/** The event that Lambda makes of messages received from a queue. */
export function toSqsEvent({ messages, queueArn, region }: SqsEventOptions): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn, region)) };
}

function toRecord(message: Message, eventSourceARN: string, awsRegion: string): SQSRecord {
  const attributes = message.MessageAttributes ?? {};
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: toRecordAttributes(message.Attributes ?? {}),
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, toMessageAttribute(value)]),
    ),
    ...(message.MD5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion,
  };
}

function toRecordAttributes(given: NonNullable<Message['Attributes']>): SQSRecordAttributes {
  const { ApproximateReceiveCount = '', SentTimestamp = '', SenderId = '', ...others } = given;
  return {
    ApproximateReceiveCount,
    SentTimestamp,
    SenderId,
    ApproximateFirstReceiveTimestamp: others.ApproximateFirstReceiveTimestamp ?? '',
    // Of FIFO queues only, and of senders that trace.
    ...others,
  };
}

function toMessageAttribute(value: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(value.StringValue === undefined ? {} : { stringValue: value.StringValue }),
    ...(value.BinaryValue === undefined ? {} : { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: value.DataType as SQSMessageAttribute['dataType'],
  };
}
