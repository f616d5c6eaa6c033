import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { inject, vi } from 'vitest';
import { createAwsClients } from '../../../lib/adapters/aws-clients.ts';
import { DynamoDBItemStore } from '../../../lib/adapters/dynamodb-item-store.ts';
import { SqsWakeQueue } from '../../../lib/adapters/sqs-wake-queue.ts';
import { SystemClock } from '../../../lib/adapters/system-clock.ts';
import type { LogLine } from '../../../lib/local/function-log.ts';
import type { TemplateOverrides } from '../../../lib/local/local-resource.ts';
import { type LocalStack, startLocalStack } from '../../../lib/local/local-stack.ts';
import type { ItemStore } from '../../../lib/ports/item-store.ts';
import { DUE_NEAR_MILLIS } from '../../../lib/runner/retention.ts';
import { sweepRuns } from '../../../lib/runner/sweep-runs.ts';
import { type JobService, type JobServiceOptions, startJobService } from '../../../scripts/services/job-service.ts';
import type { StoredTicket } from '../../../scripts/services/ticket-book.ts';
import {
  startTicketService,
  type TicketService,
  type TicketServiceOptions,
} from '../../../scripts/services/ticket-service.ts';
import { type Answer, answerIn } from './answer.ts';
import { type ProxyOptions, startProxy } from './proxy.ts';
import { QueueReceiver } from './queue-receiver.ts';

export interface TestAppOptions {
  /** Deployment configuration, beside a short lease. @default none */
  readonly config?: Readonly<Record<string, number>>;
  /** @default a sweep each second, everything else as it is deployed */
  readonly overrides?: TemplateOverrides;
  readonly tickets?: Pick<TicketServiceOptions, 'file' | 'beforeAnswer'>;
  /** How long a job of the test runner takes, and where its jobs are kept. @default 1.2 s, in memory */
  readonly jobs?: Pick<JobServiceOptions, 'file' | 'jobMillis'>;
  /** Stands before the test runner. @default nothing does */
  readonly beforeJobs?: ProxyOptions;
  /** Stands before the ticket service. @default nothing does */
  readonly beforeTickets?: ProxyOptions;
  /** Stands before the store and the queues, for the functions only. @default nothing does */
  readonly beforeAws?: ProxyOptions;
}

export interface SendOptions {
  /** @default a new one */
  readonly group?: string;
}

/** The app on this machine, and what its users have: a queue to send to, and queues to receive from. */
export interface TestApp {
  readonly stack: LocalStack;
  readonly tickets: TicketService;
  readonly jobs: JobService;
  readonly sqs: SQSClient;
  /** Every line that the functions wrote. */
  readonly log: readonly LogLine[];
  /** The table, read past the functions. */
  readonly items: ItemStore;
  readonly outputs: QueueReceiver;
  readonly refusals: QueueReceiver;
  /** Sends a message to the request queue; texts go as they are, everything else as JSON. Gives its message id. */
  send(body: unknown, options?: SendOptions): Promise<string>;
  /** Waits for the end of a request's run. */
  answer(requestId: string, timeoutMillis?: number): Promise<Answer>;
  /** Kills every process of a function; gives how many there were. */
  killAll(functionName: string): number;
  /** Tickets that were opened for a request. */
  ticketsOf(requestId: string): readonly StoredTicket[];
  /** Wakes at once what the schedule's sweeps would wake within the next minute. */
  sweepAhead(): Promise<void>;
  close(): Promise<void>;
}

export const AGENT = 'diff_report';
/** The agent that waits for a test runner. */
export const REVIEW = 'code_review';
export const JOB_MILLIS = 1_200;
export const LEASE_MILLIS = 2_000;
export const SWEEP_MILLIS = 1_000;
// As the template names it.
const INDEX_NAME = 'due';
const ANSWER_MILLIS = 30_000;

/** Starts the app with a short lease and a quick sweep, so that a killed run is driven again soon. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const tickets = await startTicketService(options.tickets);
  const jobs = await startJobService({ jobMillis: JOB_MILLIS, ...options.jobs });
  const [ticketProxy, jobProxy, storeProxy, queueProxy] = await Promise.all(
    [options.beforeTickets, options.beforeJobs, options.beforeAws, options.beforeAws].map(
      async (hooks) => hooks && startProxy(hooks),
    ),
  );
  ticketProxy?.forwardTo(tickets.url);
  jobProxy?.forwardTo(jobs.url);
  const stack = await startLocalStack({
    assemblyDirectory: inject('assemblyDirectory'),
    environment: {
      TICKET_SERVICE_URL: ticketProxy?.url ?? tickets.url,
      TEST_RUNNER_URL: jobProxy?.url ?? jobs.url,
      DEPLOYMENT_CONFIG: JSON.stringify({ 'run.lease-millis': LEASE_MILLIS, ...options.config }),
      ...(storeProxy && { AWS_ENDPOINT_URL_DYNAMODB: storeProxy.url }),
      ...(queueProxy && { AWS_ENDPOINT_URL_SQS: queueProxy.url }),
    },
    overrides: { sweepIntervalMillis: SWEEP_MILLIS, ...options.overrides },
  });
  const log: LogLine[] = [];
  stack.onLog((line) => log.push(line));
  storeProxy?.forwardTo(stack.endpoints.dynamodb);
  queueProxy?.forwardTo(stack.endpoints.sqs);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const { dynamodb, sqs } = createAwsClients({ region: stack.region, endpoints: stack.endpoints, credentials });
  const tableName = outputOf(stack, 'TableName');
  const items = new DynamoDBItemStore({ client: dynamodb, tableName, indexName: INDEX_NAME });
  const wakes = new SqsWakeQueue({ client: sqs, queueUrl: outputOf(stack, 'WakeQueueUrl') });
  const outputs = new QueueReceiver(sqs, outputOf(stack, 'OutputQueueUrl'));
  const refusals = new QueueReceiver(sqs, outputOf(stack, 'DeadLetterQueueUrl'));
  return {
    stack,
    tickets,
    jobs,
    sqs,
    log,
    items,
    outputs,
    refusals,
    async send(body, { group } = {}) {
      const command = new SendMessageCommand({
        QueueUrl: outputOf(stack, 'RequestQueueUrl'),
        MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
        MessageGroupId: group ?? randomUUID(),
        MessageDeduplicationId: randomUUID(),
      });
      return (await sqs.send(command)).MessageId ?? '';
    },
    answer: (requestId, timeout = ANSWER_MILLIS) =>
      vi.waitFor(() => answerIn(outputs.messages, requestId), { timeout, interval: 20 }),
    killAll(functionName) {
      const pids = stack.workerPids(functionName);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      return pids.length;
    },
    // Keys travel in a header, encoded.
    ticketsOf: (requestId) => tickets.tickets().filter(({ key }) => decodeURIComponent(key) === requestId),
    async sweepAhead() {
      await sweepRuns({ items, wakes, clock: new ClockAhead() });
    },
    async close() {
      await Promise.all([outputs.stop(), refusals.stop()]);
      sqs.destroy();
      dynamodb.destroy();
      await stack.close();
      const services = [tickets, jobs, ticketProxy, jobProxy, storeProxy, queueProxy];
      await Promise.all(services.map(async (service) => service?.close()));
    },
  };
}

/** Shows the time of the sweep after next: whoever looks because a wake may be lost has looked by then. */
class ClockAhead extends SystemClock {
  override now(): number {
    return super.now() + DUE_NEAR_MILLIS;
  }
}

/** What the template gives out under this name. */
export function outputOf(stack: LocalStack, name: string): string {
  const value = stack.outputs[name];
  if (value === undefined) throw new Error(`The stack has no output ${name}.`);
  return value;
}

/** A diff of the fixtures, or the sample of the demo. */
export function readDiff(name: string): string {
  const file = name === 'sample' ? 'functions/agents/diff-report/sample.diff' : `test/fixtures/diffs/${name}.diff`;
  return readFileSync(resolve(import.meta.dirname, '../../..', file), 'utf8');
}
