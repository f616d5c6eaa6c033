import { describe, expect, it } from 'vitest';
import { planStack } from '../../../lib/local/plan-stack.ts';
import { parseTemplate } from '../../../lib/local/template.ts';

const context = {
  stackName: 'Shop',
  region: 'eu-west-1',
  endpoints: {
    dynamodb: 'http://127.0.0.1:1',
    sqs: 'http://127.0.0.1:2',
    s3: 'http://127.0.0.1:3',
    sfn: 'http://127.0.0.1:4',
  },
};
const plan = (Resources: object, Outputs: object = {}) => planStack(parseTemplate({ Resources, Outputs }), context);

describe('planStack', () => {
  it('names resources by stack and logical id, functions by their construct path', () => {
    const { outputs } = plan(
      {
        Orders: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
        Files: { Type: 'AWS::S3::Bucket' },
        Run9: { Type: 'AWS::Lambda::Function', Metadata: { 'aws:cdk:path': 'Shop/RunAgent/Function/Resource' } },
      },
      {
        Url: { Value: { Ref: 'Orders' } },
        QueueName: { Value: { 'Fn::GetAtt': ['Orders', 'QueueName'] } },
        Bucket: { Value: { Ref: 'Files' } },
        Function: { Value: { 'Fn::GetAtt': ['Run9', 'Arn'] } },
      },
    );
    expect(outputs).toEqual({
      Url: 'http://127.0.0.1:2/000000000000/Shop-Orders.fifo',
      QueueName: 'Shop-Orders.fifo',
      Bucket: 'shop-files',
      Function: 'arn:aws:lambda:eu-west-1:000000000000:function:run-agent',
    });
  });

  it('creates data before functions, and functions before what feeds them', () => {
    const { resources } = plan({
      Tick: { Type: 'AWS::Scheduler::Schedule' },
      Run: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: { TABLE: { Ref: 'Store' } } } } },
      Store: { Type: 'AWS::DynamoDB::GlobalTable' },
    });
    expect(resources.map(({ logicalId }) => logicalId)).toEqual(['Store', 'Run', 'Tick']);
    expect(resources[1]?.properties).toEqual({ Environment: { Variables: { TABLE: 'Shop-Store' } } });
  });

  it('refuses types that it cannot run and that would matter, all of them by name', () => {
    const resources = {
      Stream: { Type: 'AWS::Kinesis::StreamConsumer' },
      Topic: { Type: 'AWS::Kinesis::Stream' },
      Role: { Type: 'AWS::IAM::Role' },
    };
    expect(() => plan(resources)).toThrow(/Stream \(AWS::Kinesis::StreamConsumer\), Topic \(AWS::Kinesis::Stream\)/);
  });

  it('leaves out what changes nothing here, with a reason, and still gives it a name', () => {
    const { ignored, resources, outputs } = plan(
      { Role: { Type: 'AWS::IAM::Role' }, Logs: { Type: 'AWS::Logs::LogGroup' } },
      { LogGroup: { Value: { Ref: 'Logs' } }, RoleArn: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } } },
    );
    expect(resources).toEqual([]);
    expect(ignored).toEqual([
      { logicalId: 'Role', type: 'AWS::IAM::Role', reason: 'permissions are not checked here' },
      { logicalId: 'Logs', type: 'AWS::Logs::LogGroup', reason: 'logs are files here' },
    ]);
    expect(outputs).toEqual({ LogGroup: 'Shop-Logs', RoleArn: 'arn:aws:iam:eu-west-1:000000000000:Shop-Role' });
  });
});
