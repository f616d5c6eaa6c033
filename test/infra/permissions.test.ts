import { Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentStack } from '../../infra/agent-stack.ts';
import { createApp, echo, Synthesized, synthStack } from './synth-stack.ts';

/** CloudFormation writes a list of one as that one. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item));
const statementSchema = z.object({
  Effect: z.literal('Allow'),
  Action: listOf(z.string()),
  Resource: listOf(z.unknown()),
});
const policySchema = z.object({
  PolicyDocument: z.object({ Statement: z.array(statementSchema) }),
  Roles: z.tuple([z.object({ Ref: z.string() })]),
});

/** A resource in words: `RunStoreTable…/index/due` for the ARN of the table and what follows. */
function inWords(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const [[kind, value] = ['', undefined]] = Object.entries(resource as object);
  if (kind === 'Fn::GetAtt') return String((value as string[])[0]).replace(/[0-9A-F]{8}$/, '');
  if (kind === 'Fn::Join') return (value as [string, unknown[]])[1].map(inWords).join('');
  if (kind === 'Ref') return String(value);
  return `${kind} of another stack`;
}

/** What each role may do: role → "action resource". */
function permissionsOf(stack: Synthesized): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const { properties } of stack.ofType('AWS::IAM::Policy')) {
    const { PolicyDocument, Roles } = policySchema.parse(properties);
    const role = Roles[0].Ref.replace(/[0-9A-F]{8}$/, '');
    const lines = PolicyDocument.Statement.flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((resource) => `${action} ${inWords(resource)}`)),
    );
    found[role] = [...(found[role] ?? []), ...lines].sort();
  }
  return found;
}

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .sort();

const stack = synthStack();
const everything = (() => {
  const app = createApp();
  const other = new Stack(app, 'Other');
  return new Synthesized(
    new AgentStack(app, 'Agents', { agents: [echo], vpc: new Vpc(other, 'Vpc'), encryptionKey: new Key(other, 'Key') }),
  );
})();

const OTHER_SERVICES: Readonly<Record<string, string>> = {
  SweepRunsSchedule: 'scheduler.amazonaws.com',
  StatusPollerRole: 'states.amazonaws.com',
};

describe('the roles', () => {
  it('may do exactly what their function does', () => {
    expect(permissionsOf(stack)).toEqual({
      AcceptRequestsHandlerRole: lines(`
        dynamodb:DeleteItem RunStoreTable
        dynamodb:GetItem RunStoreTable
        dynamodb:PutItem RunStoreTable
        dynamodb:Query RunStoreTable
        dynamodb:UpdateItem RunStoreTable
        logs:CreateLogStream AcceptRequestsHandlerLogs
        logs:PutLogEvents AcceptRequestsHandlerLogs
        s3:PutObject PayloadStoreBucket/payload/*
        sqs:DeleteMessage RequestQueue
        sqs:GetQueueAttributes RequestQueue
        sqs:ReceiveMessage RequestQueue
        sqs:SendMessage RequestQueueDeadLetters
        sqs:SendMessage WakeQueue
      `),
      RunAgentHandlerRole: lines(`
        dynamodb:DeleteItem RunStoreTable
        dynamodb:GetItem RunStoreTable
        dynamodb:PutItem RunStoreTable
        dynamodb:Query RunStoreTable
        dynamodb:UpdateItem RunStoreTable
        logs:CreateLogStream RunAgentHandlerLogs
        logs:PutLogEvents RunAgentHandlerLogs
        s3:GetObject PayloadStoreBucket/payload/*
        s3:PutObject PayloadStoreBucket/payload/*
        sqs:DeleteMessage WakeQueue
        sqs:GetQueueAttributes WakeQueue
        sqs:ReceiveMessage WakeQueue
        sqs:SendMessage OutputQueue
        sqs:SendMessage WakeQueue
        states:StartExecution StatusPollerStateMachine
      `),
      PollSubagentHandlerRole: lines(`
        dynamodb:DeleteItem RunStoreTable
        dynamodb:GetItem RunStoreTable
        dynamodb:PutItem RunStoreTable
        dynamodb:Query RunStoreTable
        dynamodb:UpdateItem RunStoreTable
        logs:CreateLogStream PollSubagentHandlerLogs
        logs:PutLogEvents PollSubagentHandlerLogs
        s3:GetObject PayloadStoreBucket/payload/*
        s3:PutObject PayloadStoreBucket/payload/*
        sqs:SendMessage WakeQueue
      `),
      StatusPollerRole: lines(`
        lambda:InvokeFunction PollSubagentHandlerFunction
        logs:CreateLogDelivery *
        logs:DeleteLogDelivery *
        logs:DescribeLogGroups *
        logs:DescribeResourcePolicies *
        logs:GetLogDelivery *
        logs:ListLogDeliveries *
        logs:PutResourcePolicy *
        logs:UpdateLogDelivery *
      `),
      SweepRunsHandlerRole: lines(`
        dynamodb:Query RunStoreTable/index/due
        logs:CreateLogStream SweepRunsHandlerLogs
        logs:PutLogEvents SweepRunsHandlerLogs
        sqs:SendMessage WakeQueue
      `),
      SweepRunsScheduleRole: ['lambda:InvokeFunction SweepRunsHandlerFunction'],
    });
  });

  it('get nothing from managed policies and can be assumed by their service only', () => {
    const roles = everything.ofType('AWS::IAM::Role');
    expect(roles).toHaveLength(6);
    for (const { id, properties } of roles) {
      expect(properties.ManagedPolicyArns).toBeUndefined();
      expect(properties.Policies).toBeUndefined();
      const service =
        Object.entries(OTHER_SERVICES).find(([role]) => id.startsWith(role))?.[1] ?? 'lambda.amazonaws.com';
      expect(properties.AssumeRolePolicyDocument).toMatchObject({ Statement: [{ Principal: { Service: service } }] });
    }
    for (const role of Object.keys(OTHER_SERVICES)) {
      expect(stack.one('AWS::IAM::Role', role).properties.AssumeRolePolicyDocument).toMatchObject({
        Statement: [{ Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } }],
      });
    }
  });

  /** Every wildcard that is there, and why. */
  const WILDCARDS: Readonly<Record<string, string>> = {
    'logs:CreateLogDelivery *': 'how a state machine logs; no resource level',
    'logs:DeleteLogDelivery *': 'how a state machine logs; no resource level',
    'logs:DescribeLogGroups *': 'how a state machine logs; no resource level',
    'logs:DescribeResourcePolicies *': 'how a state machine logs; no resource level',
    'logs:GetLogDelivery *': 'how a state machine logs; no resource level',
    'logs:ListLogDeliveries *': 'how a state machine logs; no resource level',
    'logs:PutResourcePolicy *': 'how a state machine logs; no resource level',
    'logs:UpdateLogDelivery *': 'how a state machine logs; no resource level',
    's3:GetObject PayloadStoreBucket/payload/*': 'payloads are named by their content',
    's3:PutObject PayloadStoreBucket/payload/*': 'payloads are named by their content',
    'ec2:AssignPrivateIpAddresses *': 'the interface does not exist yet when the policy is written',
    'ec2:CreateNetworkInterface *': 'the interface does not exist yet when the policy is written',
    'ec2:DeleteNetworkInterface *': 'the interface does not exist yet when the policy is written',
    'ec2:DescribeNetworkInterfaces *': 'describing has no resource level',
    'ec2:DescribeSubnets *': 'describing has no resource level',
    'ec2:UnassignPrivateIpAddresses *': 'the interface does not exist yet when the policy is written',
  };

  it('have no wildcard that is not listed with its reason, also in a VPC and with a key', () => {
    const all = Object.values(permissionsOf(everything)).flat();
    expect([...new Set(all.filter((line) => line.includes('*')))].sort()).toEqual(Object.keys(WILDCARDS).sort());
  });

  it('may use the key, each function', () => {
    const withKey = Object.entries(permissionsOf(everything)).filter(([, may]) =>
      may.some((line) => line.startsWith('kms:Decrypt')),
    );
    expect(withKey.map(([role]) => role).sort()).toEqual([
      'AcceptRequestsHandlerRole',
      'PollSubagentHandlerRole',
      'RunAgentHandlerRole',
      'SweepRunsHandlerRole',
    ]);
  });

  it('of the agents get what they are granted, and no other role does', () => {
    const app = createApp();
    const orders = new Bucket(new Stack(app, 'Other'), 'Orders');
    const agents = new AgentStack(app, 'Agents', { agents: [echo] });
    agents.grantToAgents((role) => orders.grantRead(role));
    const reading = Object.entries(permissionsOf(new Synthesized(agents))).filter(([, may]) =>
      may.some((line) => line.startsWith('s3:GetObject*')),
    );
    expect(reading.map(([role]) => role).sort()).toEqual(['PollSubagentHandlerRole', 'RunAgentHandlerRole']);
  });
});
