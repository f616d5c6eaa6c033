import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { PollSubagentEnv } from '../../functions/environment/poll-subagent-env.ts';
import type { GuardedQueue } from './guarded-queue.ts';
import { HandlerFunction, type HandlerProps } from './handler-function.ts';
import { NotifyingAlarm } from './notifying-alarm.ts';
import type { PayloadStore } from './payload-store.ts';
import { pollingDefinition } from './polling-definition.ts';
import type { RunStore } from './run-store.ts';
import { changeItems, deliverLogs, invokeFunction, readPayloads, sendMessages, writePayloads } from './statements.ts';
import { removalPolicyOf } from './stored-data.ts';

export interface StatusPollerProps extends HandlerProps {
  readonly store: RunStore;
  readonly payloads: PayloadStore;
  readonly wakes: GuardedQueue;
  /** The deployment's configuration as JSON. */
  readonly config: string;
  /** Variables of the agents' code: the setups of their sub-agents run here. */
  readonly agentVariables: Readonly<Record<string, string>>;
}

/** Asks remote services how far their jobs are, in rounds of a state machine: a run that waits for them costs no compute. */
export class StatusPoller extends Construct {
  readonly handler: HandlerFunction;
  readonly stateMachine: CfnStateMachine;

  constructor(scope: Construct, id: string, props: StatusPollerProps) {
    super(scope, id);
    const { store, payloads, wakes, alarmTopic } = props;
    this.handler = new HandlerFunction(this, 'Handler', {
      ...props,
      file: 'poll-subagent.ts',
      // Ten seconds of probing, and time for those that hang.
      timeout: Duration.seconds(60),
      memorySize: 512,
      environment: {
        STORE_TABLE_NAME: store.table.tableName,
        STORE_INDEX_NAME: store.indexName,
        WAKE_QUEUE_URL: wakes.queue.queueUrl,
        PAYLOAD_BUCKET_NAME: payloads.bucket.bucketName,
        DEPLOYMENT_CONFIG: props.config,
      } satisfies Record<keyof PollSubagentEnv, string>,
      statements: [
        changeItems(store.table),
        sendMessages(wakes.queue),
        readPayloads(payloads.bucket),
        writePayloads(payloads.bucket),
      ],
    });
    const logGroup = new LogGroup(this, 'Logs', {
      // Under other names the resource policy of CloudWatch Logs grows with each machine, up to its limit.
      logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}-${uniqueOfStack()}`,
      retention: props.logRetention,
      removalPolicy: removalPolicyOf(props),
      ...(props.encryptionKey ? { encryptionKey: props.encryptionKey } : {}),
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    for (const statement of [invokeFunction(this.handler.function), deliverLogs()]) role.addToPolicy(statement);
    this.stateMachine = new CfnStateMachine(this, 'StateMachine', {
      roleArn: role.roleArn,
      stateMachineType: 'STANDARD',
      definitionString: Stack.of(this).toJsonString(pollingDefinition(this.handler.function.functionArn)),
      loggingConfiguration: {
        level: 'ERROR',
        includeExecutionData: false,
        destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logGroup.logGroupArn } }],
      },
    });
    // It is checked when it is created whether the role may write the log.
    this.stateMachine.node.addDependency(role);
    new NotifyingAlarm(this, 'FailedPollersAlarm', {
      metric: this.#metric('ExecutionsFailed'),
      bound: { above: 0 },
      runbook:
        'A status poller failed: poll-subagent threw four times in a row. Its run starts another within 15 minutes, and fails after three. Read the log of poll-subagent, mend the cause, then "lambda-agents redrive ID".',
      alarmTopic,
    });
    new NotifyingAlarm(this, 'ThrottledPollersAlarm', {
      metric: this.#metric('ExecutionThrottled'),
      bound: { above: 0 },
      periods: 3,
      runbook:
        'State transitions are throttled: answers of remote services are seen late. Raise the quota of Step Functions for state transitions, or statusPollIntervalMillis of the sub-agents.',
      alarmTopic,
    });
  }

  #metric(metricName: string): Metric {
    return new Metric({
      namespace: 'AWS/States',
      metricName,
      dimensionsMap: { StateMachineArn: this.stateMachine.attrArn },
      statistic: 'Sum',
      period: Duration.minutes(5),
    });
  }
}

/** Differs from that of an earlier stack of the same name, whose logs are kept. */
const uniqueOfStack = (): string => Fn.select(2, Fn.split('/', Aws.STACK_ID));
