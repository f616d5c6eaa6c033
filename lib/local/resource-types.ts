import { localBucket } from './local-bucket.ts';
import { localEventSource } from './local-event-source.ts';
import { localFunction } from './local-function.ts';
import { localQueue } from './local-queue.ts';
import type { LocalResourceType } from './local-resource.ts';
import { localSchedule } from './local-schedule.ts';
import { localStateMachine } from './local-state-machine.ts';
import { localTable } from './local-table.ts';

/** Resource types that run here. */
export const RESOURCE_TYPES: Readonly<Record<string, LocalResourceType>> = {
  'AWS::DynamoDB::GlobalTable': localTable,
  'AWS::SQS::Queue': localQueue,
  'AWS::S3::Bucket': localBucket,
  'AWS::Lambda::Function': localFunction,
  'AWS::Lambda::EventSourceMapping': localEventSource,
  'AWS::Scheduler::Schedule': localSchedule,
  'AWS::StepFunctions::StateMachine': localStateMachine,
};

const PERMISSIONS = 'permissions are not checked here';
const ALARMS = 'nothing watches metrics here';
const LOGS = 'logs are files here';
const NETWORK = 'everything listens on 127.0.0.1 here';
const DEPLOYMENT = 'it acts only during a deployment';

/** Resource types that change nothing about what a run does, with the reason. */
export const IGNORED_RESOURCE_TYPES: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': DEPLOYMENT,
  'AWS::CloudWatch::Alarm': ALARMS,
  'AWS::CloudWatch::CompositeAlarm': ALARMS,
  'AWS::CloudWatch::Dashboard': ALARMS,
  'AWS::EC2::SecurityGroup': NETWORK,
  'AWS::EC2::SecurityGroupEgress': NETWORK,
  'AWS::EC2::SecurityGroupIngress': NETWORK,
  'AWS::IAM::ManagedPolicy': PERMISSIONS,
  'AWS::IAM::Policy': PERMISSIONS,
  'AWS::IAM::Role': PERMISSIONS,
  'AWS::KMS::Alias': 'nothing is encrypted here',
  'AWS::KMS::Key': 'nothing is encrypted here',
  'AWS::Lambda::EventInvokeConfig': 'a scheduled call that fails is not repeated here',
  'AWS::Lambda::Permission': PERMISSIONS,
  'AWS::Logs::LogGroup': LOGS,
  'AWS::Logs::MetricFilter': ALARMS,
  'AWS::Logs::QueryDefinition': LOGS,
  'AWS::Logs::ResourcePolicy': PERMISSIONS,
  'AWS::S3::BucketPolicy': PERMISSIONS,
  'AWS::SNS::Subscription': ALARMS,
  'AWS::SNS::Topic': ALARMS,
  'AWS::SNS::TopicPolicy': PERMISSIONS,
  'AWS::SQS::QueuePolicy': PERMISSIONS,
  'Custom::S3AutoDeleteObjects': DEPLOYMENT,
};
