import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { MAX_REQUEST_BYTES } from '../adapters/sqs-body.ts';
import { localStackError } from './local-stack-error.ts';

export interface FirstRequest {
  readonly requestId: string;
  readonly agent: string;
  readonly input: unknown;
}

/** What became of a request. */
export type AnswerResult =
  | {
      readonly kind: 'ended';
      readonly status: string;
      readonly outputs: readonly unknown[];
      readonly error: unknown;
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string }
  | { readonly kind: 'late' };

export interface AwaitAnswerOptions {
  readonly sqs: SQSClient;
  readonly outputQueueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly requestId: string;
  readonly timeoutMillis: number;
}

const outputSchema = z.object({ requestId: z.string(), eventId: z.string(), output: z.unknown() });
const endSchema = z.object({ requestId: z.string(), status: z.string(), error: z.unknown().optional() });

/** Puts a request into the request queue, as any sender would. */
export async function sendRequest(sqs: SQSClient, queueUrl: string, request: FirstRequest): Promise<void> {
  const body = JSON.stringify(request);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_REQUEST_BYTES) {
    throw localStackError(
      `The request has ${bytes} bytes, but SQS takes ${MAX_REQUEST_BYTES} at most. Send a shorter input.`,
    );
  }
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: request.requestId,
      MessageDeduplicationId: randomUUID(),
    }),
  );
}

/** Reads the output queue until the request's run has ended. Looks for a refusal meanwhile, and leaves that where it is. */
export async function awaitAnswer(options: AwaitAnswerOptions): Promise<AnswerResult> {
  const { requestId, timeoutMillis } = options;
  const deadline = Date.now() + timeoutMillis;
  // At least once: a repeat has the event id of the first.
  const outputs = new Map<string, unknown>();
  while (Date.now() < deadline) {
    for (const body of await takeBodies(options)) {
      const output = outputSchema.safeParse(body);
      if (output.success && output.data.requestId === requestId) outputs.set(output.data.eventId, output.data.output);
      const end = endSchema.safeParse(body);
      if (!end.success || end.data.requestId !== requestId) continue;
      return { kind: 'ended', status: end.data.status, outputs: [...outputs.values()], error: end.data.error };
    }
    const refusal = await findRefusal(options);
    if (refusal !== undefined) return refusal;
  }
  return { kind: 'late' };
}

async function takeBodies({ sqs, outputQueueUrl }: AwaitAnswerOptions): Promise<readonly unknown[]> {
  const messages = await receive(sqs, outputQueueUrl, 1);
  for (const { ReceiptHandle } of messages) {
    await sqs.send(new DeleteMessageCommand({ QueueUrl: outputQueueUrl, ReceiptHandle }));
  }
  return messages.map(({ Body }) => JSON.parse(Body ?? 'null'));
}

async function findRefusal(options: AwaitAnswerOptions): Promise<AnswerResult | undefined> {
  const { sqs, deadLetterQueueUrl, requestId } = options;
  const [message] = await receive(sqs, deadLetterQueueUrl, 0);
  if (message === undefined) return undefined;
  const { ReceiptHandle, Body = '', MessageAttributes = {} } = message;
  await sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: deadLetterQueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
  );
  if (!Body.includes(requestId)) return undefined;
  const text = (name: string, otherwise: string) => MessageAttributes[name]?.StringValue ?? otherwise;
  return {
    kind: 'refused',
    reason: text('reason', 'NEVER_ANSWERED'),
    detail: text('detail', 'The function that accepts requests never answered. Read its log.'),
  };
}

async function receive(sqs: SQSClient, queueUrl: string, waitSeconds: number): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: waitSeconds,
    MessageAttributeNames: ['All'],
  });
  return (await sqs.send(command)).Messages ?? [];
}
