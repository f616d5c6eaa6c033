import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { AcceptRequestsEnv } from '../../functions/environment/accept-requests-env.ts';
import type { GuardedQueue } from './guarded-queue.ts';
import { HandlerFunction, type HandlerProps } from './handler-function.ts';
import { NotifyingAlarm } from './notifying-alarm.ts';
import type { PayloadStore } from './payload-store.ts';
import { QueueConsumer } from './queue-consumer.ts';
import type { RunStore } from './run-store.ts';
import { changeItems, consumeMessages, sendMessages, writePayloads } from './statements.ts';

export interface AcceptRequestsProps extends HandlerProps {
  readonly store: RunStore;
  readonly payloads: PayloadStore;
  readonly requests: GuardedQueue;
  readonly wakes: GuardedQueue;
  /** The deployment's configuration as JSON. */
  readonly config: string;
  /** Variables of the agents' code, which is loaded here for its input schemas. */
  readonly agentVariables: Readonly<Record<string, string>>;
}

/** How long a batch of requests may take. It takes milliseconds; the rest is for throttling. */
export const ACCEPT_TIMEOUT = Duration.seconds(30);

/** Takes requests from their queue and records them as runs. */
export class AcceptRequests extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: AcceptRequestsProps) {
    super(scope, id);
    const { store, payloads, requests, wakes } = props;
    this.handler = new HandlerFunction(this, 'Handler', {
      ...props,
      file: 'accept-requests.ts',
      timeout: ACCEPT_TIMEOUT,
      memorySize: 512,
      environment: {
        STORE_TABLE_NAME: store.table.tableName,
        STORE_INDEX_NAME: store.indexName,
        WAKE_QUEUE_URL: wakes.queue.queueUrl,
        DEAD_LETTER_QUEUE_URL: requests.deadLetters.queueUrl,
        PAYLOAD_BUCKET_NAME: payloads.bucket.bucketName,
        DEPLOYMENT_CONFIG: props.config,
      } satisfies Record<keyof AcceptRequestsEnv, string>,
      statements: [
        consumeMessages(requests.queue),
        changeItems(store.table),
        sendMessages(wakes.queue, requests.deadLetters),
        writePayloads(payloads.bucket),
      ],
    });
    new QueueConsumer(this, 'Consumer', {
      queue: requests.queue,
      function: this.handler.function,
      batchSize: 10,
      maxConcurrency: 10,
    });
    new NotifyingAlarm(this, 'OldRequestsAlarm', {
      metric: requests.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: Duration.minutes(5) }),
      // One failed batch hides its requests, and those behind them in their groups, for this long.
      bound: { above: 2 * requests.visibilityTimeout.toSeconds() },
      periods: 2,
      runbook:
        'Requests wait too long to be accepted: accept-requests fails, is throttled, or its event source mapping is switched off. Read its log; nothing is lost meanwhile.',
      alarmTopic: props.alarmTopic,
    });
  }
}
