import { defineAgent, EventType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { echo, synthStack } from './synth-stack.ts';

const STORED = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::SQS::Queue', 'AWS::Logs::LogGroup'];
const stack = synthStack();
const removable = synthStack({ removable: true });

describe('what holds data', () => {
  // A logical id that changes makes CloudFormation replace the resource: an empty table instead of the runs.
  it('keeps its logical ids', () => {
    expect(stack.ofType(...STORED).map(({ id }) => id)).toEqual([
      'RunStoreTable02C47722',
      'PayloadStoreBucket9696257D',
      'RequestQueueDeadLetters67DE61DF',
      'RequestQueueE69D5844',
      'WakeQueueDeadLettersE08C3E47',
      'WakeQueueD60A48F0',
      'OutputQueueDeadLettersAAE39F0F',
      'OutputQueue33BCFC6A',
      'AcceptRequestsHandlerLogs8509FFF2',
      'PollSubagentHandlerLogs75AB23E1',
      'StatusPollerLogs50D948DB',
      'RunAgentHandlerLogsB707790D',
      'SweepRunsHandlerLogs002875C2',
    ]);
    expect(removable.ofType(...STORED).map(({ id }) => id)).toEqual(stack.ofType(...STORED).map(({ id }) => id));
  });

  it('has no name chosen by hand, so that a second stack fits beside it', () => {
    for (const { id, properties } of stack.ofType(...STORED)) {
      const names = Object.entries(properties).filter(([name]) => /^(.*Name)$/.test(name));
      // The log of a state machine needs its prefix; the rest of the name is of the one stack.
      if (id.startsWith('StatusPollerLogs')) expect(JSON.stringify(names)).toContain('AWS::StackId');
      else expect(names).toEqual([]);
    }
  });

  it('stays when the stack goes', () => {
    for (const { id, deletionPolicy, updateReplacePolicy } of stack.ofType(...STORED)) {
      expect([id, deletionPolicy, updateReplacePolicy]).toEqual([id, 'Retain', 'Retain']);
    }
    expect(stack.one('AWS::DynamoDB::GlobalTable', 'RunStore').properties.Replicas).toMatchObject([
      { DeletionProtectionEnabled: true },
    ]);
  });

  it('goes altogether with a removable stack, payloads included', () => {
    for (const { id, deletionPolicy, updateReplacePolicy } of removable.ofType(...STORED)) {
      expect([id, deletionPolicy, updateReplacePolicy]).toEqual([id, 'Delete', 'Delete']);
    }
    expect(removable.one('AWS::DynamoDB::GlobalTable', 'RunStore').properties.Replicas).toMatchObject([
      { DeletionProtectionEnabled: false },
    ]);
    expect(removable.ofType('Custom::S3AutoDeleteObjects')).toHaveLength(1);
    expect(stack.ofType('Custom::S3AutoDeleteObjects')).toHaveLength(0);
  });

  it('is a table that expires items, can be restored, and indexes only what is due', () => {
    expect(stack.one('AWS::DynamoDB::GlobalTable', 'RunStore').properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'gs', KeyType: 'HASH' },
            { AttributeName: 'du', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  it('is a bucket that is closed to the public, encrypted, and reached by TLS only', () => {
    const { properties } = stack.one('AWS::S3::Bucket', 'PayloadStore');
    expect(properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    });
    expect(stack.one('AWS::S3::BucketPolicy', 'PayloadStore').properties.PolicyDocument).toMatchObject({
      Statement: [{ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    });
  });

  it('expires payloads three days after the last moment at which a run, or a message of its end, can need them', () => {
    const days = (built: typeof stack) =>
      built.one('AWS::S3::Bucket', 'PayloadStore').properties.LifecycleConfiguration;
    expect(days(stack)).toMatchObject({ Rules: [{ Prefix: 'payload/', ExpirationInDays: 30 + 28 + 3 }] });
    const patient = defineAgent({ name: 'patient', config: { 'run.max-age-days': 90 } }).addAction(
      'wait',
      EventType.InputEvent,
      () => {},
    );
    expect(days(synthStack({ agents: [echo, patient], config: { 'run.retention-days': 30 } }))).toMatchObject({
      Rules: [{ ExpirationInDays: 90 + 30 + 3 }],
    });
  });

  it('keeps logs at least as long as the records of runs', () => {
    const days = (built: typeof stack) =>
      built.ofType('AWS::Logs::LogGroup').map(({ properties }) => properties.RetentionInDays);
    expect(days(stack)).toEqual([60, 60, 60, 60, 60]);
    expect(days(synthStack({ config: { 'run.retention-days': 100 } }))).toEqual([150, 150, 150, 150, 150]);
    expect(days(synthStack({ config: { 'run.retention-days': 3_650 } }))).toEqual([3653, 3653, 3653, 3653, 3653]);
  });
});
