import { Aws, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type AlarmProps, NotifyingAlarm } from './notifying-alarm.ts';
import { pollingDefinition } from './polling-definition.ts';
import { deliverLogs, invokeFunction } from './statements.ts';
import { removalPolicyOf, type StoredDataProps } from './stored-data.ts';

export interface StatusPollerProps extends StoredDataProps, AlarmProps {
  /** Makes one round. */
  readonly pollSubagent: IFunction;
  readonly logRetention: RetentionDays;
}

/** Follows the jobs of remote services in rounds of a state machine: a run that waits for them costs no compute. */
export class StatusPoller extends Construct {
  readonly stateMachine: CfnStateMachine;

  constructor(scope: Construct, id: string, props: StatusPollerProps) {
    super(scope, id);
    const { pollSubagent, alarmTopic } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      // Under other names the resource policy of CloudWatch Logs grows with each machine, up to its limit.
      logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}-${uniqueOfStack()}`,
      retention: props.logRetention,
      removalPolicy: removalPolicyOf(props),
      ...(props.encryptionKey ? { encryptionKey: props.encryptionKey } : {}),
    });
    const role = new Role(this, 'Role', {
      // Without the account, a state machine of a stranger could use the role.
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    for (const statement of [invokeFunction(pollSubagent), deliverLogs()]) role.addToPolicy(statement);
    this.stateMachine = new CfnStateMachine(this, 'StateMachine', {
      roleArn: role.roleArn,
      stateMachineType: 'STANDARD',
      definitionString: Stack.of(this).toJsonString(pollingDefinition(pollSubagent.functionArn)),
      loggingConfiguration: {
        level: 'ERROR',
        includeExecutionData: false,
        destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logGroup.logGroupArn } }],
      },
    });
    // It is checked when it is created whether the role may write the log.
    this.stateMachine.node.addDependency(role);
    // None for executions that time out: they may last a year, and no run gets older than that.
    new NotifyingAlarm(this, 'FailedPollersAlarm', {
      metric: this.#metric('ExecutionsFailed'),
      bound: { above: 0 },
      runbook:
        'A status poller failed: poll-subagent threw four times in a row. Its run starts another within 15 minutes, and fails after three. Read the log of poll-subagent, mend the cause, then "lambda-agents redrive ID".',
      alarmTopic,
    });
    new NotifyingAlarm(this, 'AbortedPollersAlarm', {
      metric: this.#metric('ExecutionsAborted'),
      bound: { above: 0 },
      runbook:
        'Somebody stopped a status poller. Its run starts another within 15 minutes, and fails when that happens three times in a row. To end a run, use "lambda-agents cancel ID" instead.',
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
