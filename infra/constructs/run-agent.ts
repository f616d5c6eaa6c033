import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { RunAgentEnv } from '../../functions/environment/run-agent-env.ts';
import type { GuardedQueue } from './guarded-queue.ts';
import { HandlerFunction, type HandlerProps } from './handler-function.ts';
import { NotifyingAlarm } from './notifying-alarm.ts';
import type { PayloadStore } from './payload-store.ts';
import { QueueConsumer } from './queue-consumer.ts';
import type { RunStore } from './run-store.ts';
import { RunsAlarm } from './runs-alarm.ts';
import {
  changeItems,
  consumeMessages,
  readPayloads,
  sendMessages,
  startExecutions,
  writePayloads,
} from './statements.ts';
import type { StatusPoller } from './status-poller.ts';

export interface RunAgentProps extends HandlerProps {
  readonly store: RunStore;
  readonly payloads: PayloadStore;
  readonly wakes: GuardedQueue;
  readonly outputs: GuardedQueue;
  readonly poller: StatusPoller;
  /** The deployment's configuration as JSON. */
  readonly config: string;
  readonly agentVariables: Readonly<Record<string, string>>;
  readonly timeout: Duration;
  readonly memorySize: number;
  readonly maxConcurrency: number;
}

// A wake may be delayed for this long and is not late then.
const LONGEST_WAKE_DELAY = Duration.minutes(15);

/** Drives runs: one wake, one drive. */
export class RunAgent extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: RunAgentProps) {
    super(scope, id);
    const { store, payloads, wakes, outputs, poller, alarmTopic } = props;
    this.handler = new HandlerFunction(this, 'Handler', {
      ...props,
      file: 'run-agent.ts',
      environment: {
        STORE_TABLE_NAME: store.table.tableName,
        STORE_INDEX_NAME: store.indexName,
        WAKE_QUEUE_URL: wakes.queue.queueUrl,
        OUTPUT_QUEUE_URL: outputs.queue.queueUrl,
        PAYLOAD_BUCKET_NAME: payloads.bucket.bucketName,
        STATUS_POLLER_ARN: poller.stateMachine.attrArn,
        DEPLOYMENT_CONFIG: props.config,
      } satisfies Record<keyof RunAgentEnv, string>,
      statements: [
        consumeMessages(wakes.queue),
        changeItems(store.table),
        sendMessages(wakes.queue, outputs.queue),
        readPayloads(payloads.bucket),
        writePayloads(payloads.bucket),
        startExecutions(poller.stateMachine),
      ],
      // It wakes itself to continue; `run.max-hops` is the bound. Lambda would stop it after about 16 hops.
      settings: { recursiveLoop: RecursiveLoop.ALLOW },
    });
    new QueueConsumer(this, 'Consumer', {
      queue: wakes.queue,
      function: this.handler.function,
      batchSize: 1,
      maxConcurrency: props.maxConcurrency,
    });
    new NotifyingAlarm(this, 'OldWakesAlarm', {
      metric: wakes.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: Duration.minutes(5) }),
      // The wake of a drive that was killed stays hidden and grows old meanwhile; that is the business of the errors' alarm.
      bound: { above: LONGEST_WAKE_DELAY.toSeconds() + wakes.visibilityTimeout.toSeconds() },
      periods: 2,
      runbook:
        'Wakes wait too long: runs are due faster than run-agent drives them, or its event source mapping is switched off. Raise runAgent.maxConcurrency, or switch it on.',
      alarmTopic,
    });
    const { logGroup } = this.handler;
    new RunsAlarm(this, 'BlockedRuns', {
      logGroup,
      metricName: 'BlockedRuns',
      problem: 'run_blocked',
      runbook:
        'A run is BLOCKED, and its key with it, also when this alarm is over: its code asks for something else than its journal holds. Find it with "lambda-agents runs --blocked", deploy code that fits (or roll back), then "lambda-agents redrive ID", or "redrive --blocked" for all.',
      alarmTopic,
    });
    new RunsAlarm(this, 'FailedRuns', {
      logGroup,
      metricName: 'FailedRuns',
      problem: 'run_failed',
      // A run that was cancelled did not succeed either, but somebody wanted that.
      outcome: 'FAILED',
      runbook:
        'A run is FAILED. Find it with "lambda-agents runs --failed" and its cause with "lambda-agents trace ID", mend the cause, then "lambda-agents redrive ID": it goes on from what it has recorded.',
      alarmTopic,
    });
  }
}
