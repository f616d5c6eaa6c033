import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';

type Table = Pick<ITable, 'tableArn'>;
type Payloads = Pick<IBucket, 'arnForObjects'>;

// Each statement names its actions and resources. The grants of the constructs are wider: Scan, BatchWriteItem, List*, Delete*.
const allow = (actions: string[], resources: string[]) => new PolicyStatement({ actions, resources });

/** Everything below this prefix of the bucket is a payload; the functions reach nothing else in it. */
export const PAYLOAD_PREFIX = 'payload/';

export const consumeMessages = (queue: IQueue) =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [queue.queueArn]);

export const sendMessages = (...queues: IQueue[]) =>
  allow(
    ['sqs:SendMessage'],
    queues.map((queue) => queue.queueArn),
  );

/** The items of the table, without its index. */
export const changeItems = (table: Table) =>
  allow(
    ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
    [table.tableArn],
  );

export const queryIndex = (table: Table, indexName: string) =>
  allow(['dynamodb:Query'], [`${table.tableArn}/index/${indexName}`]);

export const writePayloads = (bucket: Payloads) =>
  allow(['s3:PutObject'], [bucket.arnForObjects(`${PAYLOAD_PREFIX}*`)]);

export const readPayloads = (bucket: Payloads) => allow(['s3:GetObject'], [bucket.arnForObjects(`${PAYLOAD_PREFIX}*`)]);

export const startExecutions = (stateMachine: Pick<CfnStateMachine, 'attrArn'>) =>
  allow(['states:StartExecution'], [stateMachine.attrArn]);

/** The function as it is, none of its versions and aliases. */
export const invokeFunction = (handler: Pick<IFunction, 'functionArn'>) =>
  allow(['lambda:InvokeFunction'], [handler.functionArn]);

/** How a state machine hands its log to CloudWatch Logs. On `*`: these actions have no resource level. */
export const deliverLogs = () =>
  allow(
    [
      'logs:CreateLogDelivery',
      'logs:GetLogDelivery',
      'logs:UpdateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:DescribeResourcePolicies',
      'logs:DescribeLogGroups',
    ],
    ['*'],
  );

/** The log group's ARN covers its streams. */
export const writeLogs = (logGroup: ILogGroup) =>
  allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);

/** What SQS, S3 and DynamoDB ask of a caller whose data is under a customer's key. */
export const useKey = (key: IKey) =>
  allow(
    ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
    [key.keyArn],
  );

/** How Lambda attaches a function to a VPC. On `*`: the interfaces do not exist yet, and describing has no resource level. */
export const attachToNetwork = () =>
  allow(
    [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    ['*'],
  );
