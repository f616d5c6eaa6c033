import { Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { AgentStack } from '../../infra/agent-stack.ts';
import { LocalMachine } from '../../lib/local/local-machine.ts';
import { createApp, echo, referenced, Synthesized, synthStack } from './synth-stack.ts';

const stack = synthStack();
const machine = stack.one('AWS::StepFunctions::StateMachine', 'StatusPoller');
const joined = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) });

/** The definition as Step Functions gets it; what CloudFormation fills in is named by its logical id. */
function definitionOf(properties: Readonly<Record<string, unknown>>) {
  const [, parts] = joined.parse(properties.DefinitionString)['Fn::Join'];
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : referenced(part))).join(''));
}

describe('the state machine of the status poller', () => {
  const { States, ...rest } = definitionOf(machine.properties);

  it('is Standard: an Express one lasts five minutes', () => {
    expect(machine.properties.StateMachineType).toBe('STANDARD');
  });

  it('waits, probes and chooses in each round, three states', () => {
    expect(rest).toMatchObject({ StartAt: 'WaitForNextRound' });
    expect(rest).not.toHaveProperty('QueryLanguage');
    expect(States.WaitForNextRound).toEqual({ Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'PollSubagents' });
    expect(States.PollSubagents).toMatchObject({ Type: 'Task', OutputPath: '$.Payload', Next: 'IsDone' });
    expect(States.IsDone).toEqual({
      Type: 'Choice',
      Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Done' }],
      Default: 'WaitForNextRound',
    });
    expect(States.Done).toEqual({ Type: 'Succeed' });
  });

  it('calls the function itself with the whole round, and none of its versions', () => {
    const { Resource, Parameters } = States.PollSubagents;
    expect(Resource).toBe('arn:AWS::Partition:states:::lambda:invoke');
    expect(Parameters).toEqual({
      FunctionName: stack.one('AWS::Lambda::Function', 'PollSubagent').id,
      'Payload.$': '$',
    });
  });

  it('repeats a round that failed three times, whatever it failed with', () => {
    expect(States.PollSubagents.Retry).toEqual([
      {
        ErrorEquals: [
          'Lambda.ClientExecutionTimeoutException',
          'Lambda.ServiceException',
          'Lambda.AWSLambdaException',
          'Lambda.SdkClientException',
          'Lambda.TooManyRequestsException',
          'Lambda.Unknown',
          'States.TaskFailed',
        ],
        IntervalSeconds: 2,
        MaxAttempts: 3,
        BackoffRate: 2,
      },
    ]);
  });

  it('is valid, hands each answer to the next round, and ends when the function says so', async () => {
    const rounds: unknown[] = [];
    const local = new LocalMachine({
      arn: 'arn:aws:states:us-east-1:000000000000:stateMachine:poller',
      definition: JSON.stringify({ ...rest, States }),
      async invoke(name, event) {
        rounds.push([name, event]);
        return { kind: 'succeeded', result: { round: rounds.length, waitSeconds: 0, done: rounds.length === 3 } };
      },
    });
    const started = local.start('first', '{"round":0,"waitSeconds":0,"done":false}');
    await vi.waitFor(() => expect(local.executions[0]?.status).not.toBe('RUNNING'));
    const { id } = stack.one('AWS::Lambda::Function', 'PollSubagent');
    expect(rounds).toEqual([0, 1, 2].map((round) => [id, { round, waitSeconds: 0, done: false }]));
    expect(started).toMatchObject({ execution: { status: 'SUCCEEDED', transitions: 3 * 3 + 1 } });
  });

  it('logs errors without data, under the prefix that needs no policy of its own', () => {
    expect(machine.properties.LoggingConfiguration).toMatchObject({ Level: 'ERROR', IncludeExecutionData: false });
    const { LogGroupName } = stack.one('AWS::Logs::LogGroup', 'StatusPollerLogs').properties;
    expect(joined.parse(LogGroupName)['Fn::Join'][1][0]).toBe('/aws/vendedlogs/states/');
  });

  it.each([
    ['FailedPollers', 'ExecutionsFailed', 1, /Read the log of poll-subagent/],
    ['AbortedPollers', 'ExecutionsAborted', 1, /Somebody stopped.*cancel ID/],
    ['ThrottledPollers', 'ExecutionThrottled', 3, /Raise the quota/],
  ])('raises the alarm %s for the first of %s', (alarm, metric, periods, runbook) => {
    expect(stack.one('AWS::CloudWatch::Alarm', `StatusPoller${alarm}`).properties).toMatchObject({
      Namespace: 'AWS/States',
      MetricName: metric,
      Dimensions: [{ Name: 'StateMachineArn', Value: { 'Fn::GetAtt': [machine.id, 'Arn'] } }],
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: periods,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(runbook),
    });
  });

  it('is started by run-agent, which it does not call', () => {
    const runAgent = stack.one('AWS::Lambda::Function', 'RunAgent');
    expect(JSON.stringify(runAgent.properties.Environment)).toContain(machine.id);
    expect(JSON.stringify(machine.properties)).not.toContain(runAgent.id);
  });

  it('keeps its log under the key of the stack', () => {
    const app = createApp();
    const encryptionKey = new Key(new Stack(app, 'Other'), 'Key');
    const built = new Synthesized(new AgentStack(app, 'Agents', { agents: [echo], encryptionKey }));
    expect(built.one('AWS::Logs::LogGroup', 'StatusPollerLogs').properties).toHaveProperty('KmsKeyId');
  });
});
