import { resolve } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import type { IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Architecture,
  type FunctionOptions,
  type Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type AlarmProps, NotifyingAlarm } from './notifying-alarm.ts';
import { attachToNetwork, useKey, writeLogs } from './statements.ts';
import { removalPolicyOf, type StoredDataProps } from './stored-data.ts';

/** What all functions of a stack have in common. */
export interface HandlerProps extends StoredDataProps, AlarmProps {
  readonly architecture: Architecture;
  /** At least as long as a run lives and is kept, so that its trace can be read as long as its record. */
  readonly logRetention: RetentionDays;
  /** @default no VPC */
  readonly vpc?: IVpc | Vpc | undefined;
}

export interface HandlerFunctionProps extends HandlerProps {
  /** File in `functions/` that exports `handler`. */
  readonly file: string;
  readonly timeout: Duration;
  readonly memorySize: number;
  /** The variables that the handler itself reads. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further variables for the agents' code. @default none */
  readonly agentVariables?: Readonly<Record<string, string>>;
  /** All that the function may do besides writing its log. */
  readonly statements: readonly PolicyStatement[];
  /** Settings that only this function needs. @default none */
  readonly settings?: Pick<FunctionOptions, 'recursiveLoop' | 'retryAttempts' | 'maxEventAge'>;
}

const ALARM_PERIOD = Duration.minutes(5);
const REPOSITORY = resolve(import.meta.dirname, '../..');

const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  mainFields: ['module', 'main'],
  minify: true,
  logLevel: LogLevel.WARNING,
  // The runtime's own SDK has another version than the one the tests ran with, and an emulator has none.
  bundleAwsSDK: true,
  // CommonJS dependencies call `require` for Node's modules, which an ES module does not have.
  banner:
    "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
};

/** A Lambda function of ours with its bundle, its own role and its own log group. */
export class HandlerFunction extends Construct {
  readonly function: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: removalPolicyOf(props),
      ...(props.encryptionKey ? { encryptionKey: props.encryptionKey } : {}),
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const statements = [writeLogs(this.logGroup), ...props.statements];
    if (props.encryptionKey) statements.push(useKey(props.encryptionKey));
    if (props.vpc) statements.push(attachToNetwork());
    for (const statement of statements) this.role.addToPolicy(statement);

    this.function = new NodejsFunction(this, 'Function', {
      entry: resolve(REPOSITORY, 'functions', props.file),
      projectRoot: REPOSITORY,
      depsLockFilePath: resolve(REPOSITORY, 'package-lock.json'),
      bundling: BUNDLING,
      runtime: Runtime.NODEJS_24_X,
      architecture: props.architecture,
      timeout: props.timeout,
      memorySize: props.memorySize,
      environment: { ...props.agentVariables, ...props.environment },
      role: this.role,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // `Vpc` is no `IVpc` under exactOptionalPropertyTypes, only because its getters say `| undefined`.
      ...(props.vpc ? { vpc: props.vpc as IVpc } : {}),
      ...props.settings,
    });
    new NotifyingAlarm(this, 'ErrorsAlarm', {
      metric: this.function.metricErrors({ period: ALARM_PERIOD }),
      bound: { above: 0 },
      runbook: `${props.file} crashed, timed out or did not start. Nothing is lost: messages come back and due runs are woken. Read its log group for the cause.`,
      alarmTopic: props.alarmTopic,
    });
    new NotifyingAlarm(this, 'ThrottlesAlarm', {
      metric: this.function.metricThrottles({ period: ALARM_PERIOD }),
      bound: { above: 0 },
      runbook: `${props.file} was throttled. Raise the account's Lambda concurrency, or lower maxConcurrency of the functions that share it.`,
      alarmTopic: props.alarmTopic,
    });
  }
}
