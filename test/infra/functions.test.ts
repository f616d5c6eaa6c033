import { Duration, Stack } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { AgentStack } from '../../infra/agent-stack.ts';
import { createApp, echo, referenced, Synthesized, synthStack } from './synth-stack.ts';

const stack = synthStack({ runAgent: { environment: { TICKET_SERVICE_URL: 'https://tickets.test' } } });
const functions = stack.ofType('AWS::Lambda::Function');
const alarms = stack.ofType('AWS::CloudWatch::Alarm');
const variablesOf = (prefix: string) =>
  (stack.one('AWS::Lambda::Function', prefix).properties.Environment as { Variables: object }).Variables;

describe('the functions', () => {
  it('run on the pinned Node and write JSON logs to a log group of the stack', () => {
    expect(functions).toHaveLength(4);
    for (const { properties } of functions) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['x86_64'],
        LoggingConfig: { LogFormat: 'JSON' },
      });
      const group = (properties.LoggingConfig as { LogGroup: unknown }).LogGroup;
      expect(stack.byId(referenced(group)).type).toBe('AWS::Logs::LogGroup');
    }
  });

  it('run on another architecture when told to', () => {
    const arm = synthStack({ architecture: Architecture.ARM_64 }).ofType('AWS::Lambda::Function');
    expect(arm.map(({ properties }) => properties.Architectures)).toEqual([['arm64'], ['arm64'], ['arm64'], ['arm64']]);
  });

  it('may call themselves only where runs continue', () => {
    const loops = functions.map(({ id, properties }) => [id.replace(/Handler.*/, ''), properties.RecursiveLoop]);
    expect(loops).toEqual([
      ['AcceptRequests', undefined],
      ['PollSubagent', undefined],
      ['RunAgent', 'Allow'],
      ['SweepRuns', undefined],
    ]);
  });

  it('take their times from the design', () => {
    expect(functions.map(({ properties }) => properties.Timeout)).toEqual([30, 60, 300, 60]);
  });

  it('get the variables of the agents where the agents are loaded', () => {
    expect(variablesOf('AcceptRequests')).toMatchObject({ TICKET_SERVICE_URL: 'https://tickets.test' });
    expect(variablesOf('RunAgent')).toMatchObject({ TICKET_SERVICE_URL: 'https://tickets.test' });
    expect(variablesOf('PollSubagent')).toMatchObject({ TICKET_SERVICE_URL: 'https://tickets.test' });
    expect(variablesOf('SweepRuns')).not.toHaveProperty('TICKET_SERVICE_URL');
  });

  it('get the configuration of the deployment', () => {
    const built = synthStack({ config: { 'run.max-attempts': 3 } });
    for (const prefix of ['AcceptRequests', 'RunAgent', 'PollSubagent']) {
      expect(built.one('AWS::Lambda::Function', prefix).properties.Environment).toMatchObject({
        Variables: { DEPLOYMENT_CONFIG: '{"run.max-attempts":3}' },
      });
    }
  });
});

describe('the sweep', () => {
  it('runs each minute and is not made up for when it was missed', () => {
    const { properties } = stack.one('AWS::Scheduler::Schedule', 'SweepRuns');
    expect(properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
    });
    expect(referenced((properties.Target as { Arn: unknown }).Arn)).toBe(
      stack.one('AWS::Lambda::Function', 'SweepRuns').id,
    );
    expect(stack.one('AWS::Lambda::EventInvokeConfig', 'SweepRuns').properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });
});

describe('what an operator finds', () => {
  it('is named by the outputs', () => {
    expect(Object.keys(stack.template.toJSON().Outputs).sort()).toEqual([
      'AcceptRequestsLogGroupName',
      'DeadLetterQueueUrl',
      'OutputQueueUrl',
      'PayloadBucketName',
      'PollSubagentLogGroupName',
      'RequestQueueUrl',
      'RunAgentLogGroupName',
      'StatusPollerArn',
      'SweepRunsLogGroupName',
      'TableName',
      'WakeQueueUrl',
    ]);
    stack.template.hasOutput('DeadLetterQueueUrl', { Value: { Ref: 'RequestQueueDeadLetters67DE61DF' } });
    stack.template.hasOutput('RunAgentLogGroupName', { Value: { Ref: 'RunAgentHandlerLogsB707790D' } });
  });

  it('is an alarm for errors and throttles of each function, for messages that wait, for runs in trouble, and for sweeps that do not come', () => {
    const watched = alarms.map(
      ({ id, properties }) =>
        `${id.replace(/(Handler|Queue|Old|NoSweeps|BlockedRuns|(Failed|Aborted|Throttled)Pollers|FailedRuns).*/, '')} ${properties.MetricName}`,
    );
    expect(watched.sort()).toEqual([
      'AcceptRequests ApproximateAgeOfOldestMessage',
      'AcceptRequests Errors',
      'AcceptRequests Throttles',
      'Output ApproximateNumberOfMessagesVisible',
      'PollSubagent Errors',
      'PollSubagent Throttles',
      'Request ApproximateNumberOfMessagesVisible',
      'RunAgent ApproximateAgeOfOldestMessage',
      'RunAgent BlockedRuns',
      'RunAgent Errors',
      'RunAgent FailedRuns',
      'RunAgent Throttles',
      'StatusPoller ExecutionThrottled',
      'StatusPoller ExecutionsAborted',
      'StatusPoller ExecutionsFailed',
      'SweepRuns Errors',
      'SweepRuns Invocations',
      'SweepRuns Throttles',
      'Wake ApproximateNumberOfMessagesVisible',
    ]);
  });

  it.each([300, 900])('is no alarm for the wake of one killed drive of %i s', (seconds) => {
    const built = synthStack({ runAgent: { timeout: Duration.seconds(seconds) } });
    const visibility = Number(built.byId('WakeQueueD60A48F0').properties.VisibilityTimeout);
    const [alarm] = built
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ properties }) => JSON.stringify(properties.Dimensions ?? []).includes('WakeQueueD60A48F0'));
    expect(alarm?.properties).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 900 + visibility,
      TreatMissingData: 'notBreaching',
    });
  });

  it('is an alarm where nothing is reported, when the sweep does not run at all', () => {
    const [alarm] = alarms.filter(({ properties }) => properties.MetricName === 'Invocations');
    expect(alarm?.properties).toMatchObject({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Statistic: 'Sum',
      TreatMissingData: 'breaching',
    });
  });

  it('is a line in each alarm that says what to do, sent to the topic if there is one', () => {
    for (const { properties } of alarms) {
      expect(properties.AlarmDescription).toMatch(/\. \S/);
      expect(properties.AlarmActions).toBeUndefined();
    }
    const app = createApp();
    const alarmTopic = new Topic(new Stack(app, 'Other'), 'Topic');
    const notified = new Synthesized(new AgentStack(app, 'Agents', { agents: [echo], alarmTopic }));
    for (const { properties } of notified.ofType('AWS::CloudWatch::Alarm')) {
      expect(properties.AlarmActions).toHaveLength(1);
    }
  });

  it('is a saved query for one run over the log of run-agent', () => {
    expect(stack.one('AWS::Logs::QueryDefinition', 'SavedQueries').properties).toMatchObject({
      LogGroupNames: [{ Ref: stack.one('AWS::Logs::LogGroup', 'RunAgent').id }],
      QueryString: expect.stringContaining('filter run_id = '),
    });
  });
});
