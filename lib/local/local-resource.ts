import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { FunctionLog } from './function-log.ts';
import type { FunctionPool } from './function-pool.ts';
import type { InvocationRecord } from './invocation.ts';
import type { LocalMachine } from './local-machine.ts';
import { localStackError } from './local-stack-error.ts';
import type { StackEndpoints } from './stack-endpoints.ts';

/** What `Ref` and `Fn::GetAtt` give for a resource. */
export interface ResourceIdentity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Where names and addresses come from, before anything exists. */
export interface NamingContext {
  readonly stackName: string;
  readonly region: string;
  readonly endpoints: StackEndpoints;
}

/** A resource of the template under its own name, its references still unresolved. */
export interface DeclaredResource {
  readonly logicalId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A resource to create, its references resolved. */
export interface ResolvedResource extends DeclaredResource {
  readonly identity: ResourceIdentity;
}

/** What a test or `npm start` changes about the template. */
export interface TemplateOverrides {
  /** Of every queue. @default the template's */
  readonly visibilityTimeoutSeconds?: number;
  /** Of every function. @default the template's */
  readonly functionTimeoutSeconds?: number;
  /** Of every schedule. @default the template's rate */
  readonly sweepIntervalMillis?: number;
  /** The most processes of one function. @default 10 */
  readonly maxWorkersPerFunction?: number;
}

/** What creating a resource may use and adds to. */
export interface CreationContext extends NamingContext {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly assetDirectories: ReadonlyMap<string, string>;
  /** Variables for every function, over those of the template. */
  readonly environment: Readonly<Record<string, string>>;
  readonly overrides: TemplateOverrides;
  readonly log: FunctionLog;
  readonly onInvocation: (record: InvocationRecord) => void;
  /** State machines by ARN. */
  readonly machines: Map<string, LocalMachine>;
  /** Functions by ARN. */
  readonly functions: Map<string, FunctionPool>;
  /** Ends what feeds functions. Registered by triggers. */
  readonly triggers: (() => Promise<void>)[];
}

/** How resources of one type come to life here. */
export interface LocalResourceType {
  /** Data is created first, then functions, then what feeds them. */
  readonly phase: 'data' | 'function' | 'trigger';
  identify(resource: DeclaredResource, context: NamingContext): ResourceIdentity;
  create(resource: ResolvedResource, context: CreationContext): Promise<void>;
}

/** The function that a trigger of the template names. */
export function functionByArn(context: CreationContext, arn: string): FunctionPool {
  const pool = [...context.functions].find(([known, { spec }]) => known === arn || spec.name === arn)?.[1];
  if (pool === undefined) {
    throw localStackError(
      `A trigger names the function ${arn}, which is not in the template. Feed a function of the same stack.`,
    );
  }
  return pool;
}
