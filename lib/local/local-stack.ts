import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { startEmbeddedExecutions } from './embedded-executions.ts';
import { startEmbeddedQueues } from './embedded-queues.ts';
import { type EmbeddedService, startEmbeddedStore } from './embedded-store.ts';
import { FunctionLog, type LogLine, type LogListener } from './function-log.ts';
import type { FunctionPool } from './function-pool.ts';
import type { InvocationOutcome, InvocationRecord } from './invocation.ts';
import type { LocalExecution } from './local-execution.ts';
import { localFunction } from './local-function.ts';
import type { CreationContext, LocalResourceType, TemplateOverrides } from './local-resource.ts';
import { localStackError } from './local-stack-error.ts';
import { type IgnoredResource, type PlannedResource, planStack, type StackPlan } from './plan-stack.ts';
import { announceStack, refuseSecondStack, withdrawStack } from './running-stack.ts';
import { readStackAssembly } from './stack-assembly.ts';
import type { StackEndpoints } from './stack-endpoints.ts';

export interface LocalStackOptions {
  /** What `cdk synth` wrote. */
  readonly assemblyDirectory: string;
  /** Needed only when the app has several stacks. */
  readonly stackName?: string;
  /** @default 'us-east-1' */
  readonly region?: string;
  /** Variables for every function, over those of the template. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /** @default the template as it is */
  readonly overrides?: TemplateOverrides;
  /** Where the stack announces itself and keeps its logs. @default neither */
  readonly stateDirectory?: string;
}

/** A deployed template, on this machine. */
export interface LocalStack {
  readonly region: string;
  readonly endpoints: StackEndpoints;
  /** The outputs of the template, by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What runs: physical names (as `Ref` gives them) and types by logical id. */
  readonly resources: Readonly<Record<string, { readonly type: string; readonly ref: string }>>;
  /** What the template has and the stack leaves out. */
  readonly ignored: readonly IgnoredResource[];
  readonly functionNames: readonly string[];
  /** The last invocations, in the order in which they ended. */
  readonly invocations: readonly InvocationRecord[];
  /** The executions of the state machines, in the order of their starts. */
  executions(): readonly LocalExecution[];
  /** Processes of a function that live now. */
  workerPids(functionName: string): readonly number[];
  /** Calls a function once, past its queue. */
  invoke(functionName: string, event: unknown): Promise<InvocationOutcome>;
  /** The last lines that functions wrote, of one or of all. */
  logTail(count: number, functionName?: string): readonly LogLine[];
  /** Calls back for each line that a function writes; the returned function ends that. */
  onLog(listener: LogListener): () => void;
  /** Ends every process and server that the stack started. May be called again. */
  close(): Promise<void>;
}

// Enough for a test to look back at; a stack may stay up for days.
const INVOCATIONS_KEPT = 10_000;

/** Runs the output of `cdk synth`: data from the template, functions from their bundles, one process per concurrent invocation. */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { region = 'us-east-1', stateDirectory } = options;
  if (stateDirectory !== undefined) await refuseSecondStack(stateDirectory);
  const assembly = await readStackAssembly(options.assemblyDirectory, options.stackName);
  const [store, queues, executions] = await Promise.all([
    startEmbeddedStore(),
    startEmbeddedQueues(region),
    startEmbeddedExecutions(),
  ]);
  const endpoints = { dynamodb: store.endpoint, sqs: queues.endpoint, s3: queues.endpoint, sfn: executions.endpoint };
  const logDirectory = stateDirectory === undefined ? undefined : join(stateDirectory, 'logs');
  const log = new FunctionLog(logDirectory);
  const invocations: InvocationRecord[] = [];
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const context: CreationContext = {
    stackName: assembly.stackName,
    region,
    endpoints,
    dynamodb: new DynamoDBClient({ region, credentials, endpoint: endpoints.dynamodb }),
    sqs: new SQSClient({ region, credentials, endpoint: endpoints.sqs, useQueueUrlAsEndpoint: false }),
    assetDirectories: assembly.assetDirectories,
    environment: options.environment ?? {},
    overrides: options.overrides ?? {},
    log,
    onInvocation(record) {
      invocations.push(record);
      if (invocations.length > INVOCATIONS_KEPT) invocations.shift();
    },
    functions: new Map(),
    machines: executions.machines,
    triggers: [],
  };
  const close = once(() => closeAll(context, [executions, store, queues], stateDirectory));
  try {
    const plan = planStack(assembly.template, context);
    await create(plan, context);
    if (stateDirectory !== undefined && logDirectory !== undefined) {
      await announceStack(stateDirectory, { pid: process.pid, region, endpoints, outputs: plan.outputs, logDirectory });
    }
    return describeStack(plan, context, invocations, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function create(plan: StackPlan, context: CreationContext): Promise<void> {
  const createAll = async (phase: LocalResourceType['phase']): Promise<void> => {
    const resources = plan.resources.filter(({ local }) => local.phase === phase);
    await Promise.all(resources.map((resource) => createOne(resource, context)));
  };
  await createAll('data');
  await createAll('function');
  await warmUp(plan, context);
  await createAll('trigger');
}

async function createOne(resource: PlannedResource, context: CreationContext): Promise<void> {
  try {
    await resource.local.create(resource, context);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const { logicalId, type } = resource;
    throw localStackError(
      `${logicalId} (${type}) has properties that do not work here. Change them, or deploy the app instead.\n${z.prettifyError(error)}`,
      { cause: error },
    );
  }
}

/** Loads every function that something feeds, so that the first event finds it warm and a broken bundle is noticed now. */
async function warmUp(plan: StackPlan, context: CreationContext): Promise<void> {
  const feeding = plan.resources.filter(({ local }) => local !== localFunction);
  // What a state machine calls stands in its definition, which is JSON inside of JSON.
  const fed = JSON.stringify(feeding.map(({ properties }) => properties)).replaceAll('\\', '');
  const pools = [...context.functions].filter(
    ([arn, { spec }]) => fed.includes(`"${arn}"`) || fed.includes(`"${spec.name}"`),
  );
  await Promise.all(
    pools.map(async ([, pool]) => {
      const result = await pool.warmUp();
      if (result.kind === 'started') return;
      const { errorType, errorMessage } = result.error;
      const lines = context.log.tail(20, pool.spec.name).map(({ text }) => `\n  ${text}`);
      throw localStackError(
        `Function ${pool.spec.name} did not start: ${errorType}: ${errorMessage}. Mend what its log says.${lines.join('')}`,
      );
    }),
  );
}

function describeStack(
  plan: StackPlan,
  context: CreationContext,
  invocations: readonly InvocationRecord[],
  close: () => Promise<void>,
): LocalStack {
  const { functions, machines, log, region, endpoints } = context;
  const poolOf = (name: string): FunctionPool => {
    const pool = [...functions.values()].find(({ spec }) => spec.name === name);
    if (pool !== undefined) return pool;
    const names = [...functions.values()].map(({ spec }) => spec.name).join(', ');
    throw localStackError(`There is no function "${name}". Use one of ${names}.`);
  };
  return {
    region,
    endpoints,
    outputs: plan.outputs,
    resources: Object.fromEntries(
      plan.resources.map(({ logicalId, type, identity }) => [logicalId, { type, ref: identity.ref }]),
    ),
    ignored: plan.ignored,
    functionNames: [...functions.values()].map(({ spec }) => spec.name),
    invocations,
    executions: () => [...machines.values()].flatMap((machine) => machine.executions),
    workerPids: (functionName) => poolOf(functionName).pids,
    invoke: (functionName, event) => poolOf(functionName).invoke(event),
    logTail: (count, functionName) => log.tail(count, functionName),
    onLog: (listener) => log.listen(listener),
    close,
  };
}

async function closeAll(
  { triggers, functions, machines, sqs, dynamodb, log }: CreationContext,
  services: readonly EmbeddedService[],
  stateDirectory: string | undefined,
): Promise<void> {
  if (stateDirectory !== undefined) await withdrawStack(stateDirectory);
  // Pollers first, so that nothing feeds functions whose processes are about to be killed.
  for (const machine of machines.values()) machine.close();
  const stopping = triggers.map((stop) => stop());
  await Promise.all([...functions.values()].map((pool) => pool.close()));
  await Promise.all(stopping);
  sqs.destroy();
  dynamodb.destroy();
  await Promise.all(services.map((service) => service.close()));
  await log.close();
}

function once<T>(action: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= action();
    return result;
  };
}
