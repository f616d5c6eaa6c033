import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { AgentStack } from '../../infra/agent-stack.ts';
import { createApp, echo, Synthesized, synthStack } from './synth-stack.ts';

const text = (stack: Synthesized) => JSON.stringify(stack.template.toJSON());

describe('the stack', () => {
  it.each([
    ['anywhere', {}],
    ['in China', { env: { region: 'cn-north-1', account: '123456789012' } }],
  ])('names no partition and leaves no token in a text when synthesized %s', (_where, props) => {
    const json = text(synthStack(props));
    expect(json).not.toContain('arn:aws:');
    expect(json).not.toContain('arn:aws-cn:');
    expect(json).not.toMatch(/\$\{Token\[/);
  });

  it('asks for no context, so that it needs no account', () => {
    const app = createApp();
    new AgentStack(app, 'Agents', { agents: [echo] });
    expect(app.synth().manifest.missing).toBeUndefined();
  });

  it('fits beside a second one in the same app', () => {
    const app = createApp();
    const [first, second] = ['One', 'Two']
      .map((id) => new AgentStack(app, id, { agents: [echo] }))
      .map((stack) => new Synthesized(stack));
    const withoutName = (stack: Synthesized | undefined) =>
      text(stack as Synthesized).replaceAll(/"(One|Two)\/one run"/g, '');
    expect(withoutName(first)).toBe(withoutName(second));
  });

  it('takes key, network and topic of another stack without a cycle', () => {
    const app = createApp();
    const other = new Stack(app, 'Other');
    const agents = new AgentStack(app, 'Agents', {
      agents: [echo],
      encryptionKey: new Key(other, 'Key'),
      vpc: new Vpc(other, 'Vpc'),
      alarmTopic: new Topic(other, 'Topic'),
    });
    expect(() => app.synth()).not.toThrow();
    const built = new Synthesized(agents);
    for (const { properties } of built.ofType('AWS::SQS::Queue')) expect(properties).toHaveProperty('KmsMasterKeyId');
    for (const { properties } of built.ofType('AWS::Logs::LogGroup')) expect(properties).toHaveProperty('KmsKeyId');
    for (const { properties } of built.ofType('AWS::Lambda::Function')) expect(properties).toHaveProperty('VpcConfig');
    expect(built.one('AWS::DynamoDB::GlobalTable', 'RunStore').properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: expect.anything() } }],
    });
    Template.fromStack(other).hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: {
              Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
            },
            Condition: Match.anyValue(),
          }),
        ]),
      },
    });
    expect(JSON.stringify(built.one('AWS::S3::Bucket', 'PayloadStore').properties)).toContain(
      '"SSEAlgorithm":"aws:kms"',
    );
  });
});
