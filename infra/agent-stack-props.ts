import { Duration, type StackProps } from 'aws-cdk-lib';
import type { IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { ConfigInput } from '../lib/agent/config.ts';
import type { AgentDefinition } from '../lib/agent/define-agent.ts';
import { AgentError } from '../lib/errors/agent-error.ts';
import { checkAgentVariables } from './check-agent-variables.ts';

/** The function that drives runs. */
export interface RunAgentSettings {
  /** Megabytes, which also decide the share of a processor. @default 1024 */
  readonly memorySize?: number;
  /** The longest drive: 60 seconds to 15 minutes. @default 5 minutes */
  readonly timeout?: Duration;
  /** Drives at the same time, 2 to 1,000. @default 50 */
  readonly maxConcurrency?: number;
  /** Variables for the agents' own code; every function that loads the agents gets them. No secrets. @default none */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface AgentStackProps extends StackProps {
  /** The agents of this deployment: the same list that `functions/agents/deployed.ts` exports to the handlers. */
  readonly agents: readonly AgentDefinition[];
  /** Configuration for all agents; an agent's own wins. @default the framework's defaults */
  readonly config?: ConfigInput;
  /** @default as `RunAgentSettings` says */
  readonly runAgent?: RunAgentSettings;
  /** Whether removing the stack also removes its data: table, bucket, queues, log groups. @default false */
  readonly removable?: boolean;
  /** @default x86_64 */
  readonly architecture?: Architecture;
  /**
   * Customer-managed key for table, bucket, queues and log groups. An imported key's policy must let CloudWatch Logs use it.
   * @default keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /** The functions run in its private subnets, which must reach SQS, DynamoDB and S3. @default no VPC */
  readonly vpc?: IVpc | Vpc;
  /** Where alarms are sent. @default nowhere: they only show their state */
  readonly alarmTopic?: ITopic;
}

/** The props with every default in its place. */
export interface ResolvedAgentStackProps {
  readonly config: ConfigInput;
  readonly runAgent: Required<RunAgentSettings>;
  readonly removable: boolean;
  readonly architecture: Architecture;
}

/** @throws AgentError `INVALID_CONFIG` for a value that would only fail while it is deployed, or later */
export function resolveProps(props: AgentStackProps): ResolvedAgentStackProps {
  const runAgent = {
    memorySize: props.runAgent?.memorySize ?? 1024,
    timeout: props.runAgent?.timeout ?? Duration.minutes(5),
    maxConcurrency: props.runAgent?.maxConcurrency ?? 50,
    environment: props.runAgent?.environment ?? {},
  };
  const config = props.config ?? {};
  // No durable call starts in the last 20 s of an invocation, so a shorter one gets little done.
  checkRange('runAgent.timeout', 'seconds', runAgent.timeout.toSeconds(), 60, 900);
  checkRange('runAgent.memorySize', 'megabytes', runAgent.memorySize, 128, 10_240);
  checkRange('runAgent.maxConcurrency', 'drives', runAgent.maxConcurrency, 2, 1_000);
  checkAgentVariables(runAgent.environment, config);
  return {
    config,
    runAgent,
    removable: props.removable ?? false,
    architecture: props.architecture ?? Architecture.X86_64,
  };
}

function checkRange(name: string, unit: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new AgentError(
    'INVALID_CONFIG',
    `${name} is ${value}, but Lambda and this stack take ${least} to ${most} ${unit}. Choose a whole number in between.`,
  );
}
