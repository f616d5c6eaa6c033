import {
  DeleteMessageBatchCommand,
  type DeleteMessageBatchRequestEntry,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { decideBatch } from './decide-batch.ts';
import type { InvocationOutcome } from './invocation.ts';
import { Semaphore } from './semaphore.ts';
import { toSqsEvent } from './sqs-event.ts';

export interface QueuePollerOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly region: string;
  /** Messages per event. SQS hands out at most ten at a time. */
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly invoke: (event: unknown) => Promise<InvocationOutcome>;
  /** Takes one sentence about what went wrong besides the handler. */
  readonly onProblem: (problem: string) => void;
}

// The longest that SQS lets a receive wait.
const WAIT_SECONDS = 20;
// Between two receives that failed, so that a broken queue does not keep the machine busy.
const RETRY_MILLIS = 1_000;

/** An event source mapping: feeds a queue to a function, deletes what was handled, leaves the rest to the visibility timeout. */
export class QueuePoller {
  readonly #options: QueuePollerOptions;
  readonly #permits: Semaphore;
  readonly #stopping = new AbortController();
  readonly #batches = new Set<Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(options: QueuePollerOptions) {
    this.#options = options;
    this.#permits = new Semaphore(options.maxConcurrency);
    this.#loop = this.#poll();
  }

  /** Takes no further messages; resolves when batches under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // A loop that waits for a free place would wait for a batch that may never end.
    this.#permits.release();
    await this.#loop;
    await Promise.all(this.#batches);
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#permits.acquire();
      const messages = signal.aborted ? [] : await this.#receive();
      if (messages.length === 0) {
        this.#permits.release();
        continue;
      }
      const batch = this.#handle(messages).finally(() => {
        this.#batches.delete(batch);
        this.#permits.release();
      });
      this.#batches.add(batch);
    }
  }

  async #receive(): Promise<readonly Message[]> {
    const { sqs, queueUrl, batchSize, onProblem } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    try {
      return (await sqs.send(command, { abortSignal: this.#stopping.signal })).Messages ?? [];
    } catch (error) {
      if (this.#stopping.signal.aborted) return [];
      onProblem(`Receiving from ${queueUrl} failed: ${messageOf(error)}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
      return [];
    }
  }

  async #handle(messages: readonly Message[]): Promise<void> {
    const { sqs, queueUrl, queueArn, region, invoke, reportsItemFailures, onProblem } = this.#options;
    try {
      const outcome = await invoke(toSqsEvent({ messages, queueArn, region }));
      const ids = messages.map((message) => message.MessageId ?? '');
      const { deleted, problem } = decideBatch(ids, outcome, reportsItemFailures);
      if (problem !== undefined) onProblem(problem);
      const entries = toDeleteEntries(messages, deleted);
      if (entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
    } catch (error) {
      // The messages come back; that is all that a failed deletion means.
      onProblem(`Deleting from ${queueUrl} failed: ${messageOf(error)}`);
    }
  }
}

function toDeleteEntries(messages: readonly Message[], deleted: readonly string[]): DeleteMessageBatchRequestEntry[] {
  return messages.flatMap((message, index) =>
    deleted.includes(message.MessageId ?? '') ? [{ Id: String(index), ReceiptHandle: message.ReceiptHandle }] : [],
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
