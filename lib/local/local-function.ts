import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { FunctionPool } from './function-pool.ts';
import { lambdaEnvironment } from './lambda-environment.ts';
import type { LocalResourceType } from './local-resource.ts';
import { localStackError } from './local-stack-error.ts';
import { localArn, readableName } from './physical-names.ts';

const functionProperties = z.object({
  Runtime: z.string().startsWith('nodejs'),
  Handler: z.string(),
  Code: z.object({ S3Key: z.string() }),
  // CloudFormation's defaults.
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.number().optional(),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).optional(),
});

// A laptop with two cores takes so many Node.js processes without swapping.
const MAX_WORKERS = 10;

/** A function that runs from its bundle, in processes of its own. */
export const localFunction: LocalResourceType = {
  phase: 'function',
  identify({ logicalId, metadata }, { region }) {
    const name = readableName(logicalId, metadata);
    return { ref: name, attributes: { Arn: localArn('lambda', region, `function:${name}`) } };
  },
  async create({ logicalId, properties, identity }, context) {
    const { overrides, log, onInvocation, region, endpoints } = context;
    const declared = functionProperties.parse(properties);
    const name = identity.ref;
    const taskRoot = context.assetDirectories.get(declared.Code.S3Key);
    if (taskRoot === undefined) {
      throw localStackError(
        `Function ${logicalId} has no bundle ${declared.Code.S3Key} in the assembly. Run "cdk synth" again.`,
      );
    }
    const memoryMegabytes = declared.MemorySize;
    const environment = lambdaEnvironment({
      functionName: name,
      handler: declared.Handler,
      taskRoot,
      memoryMegabytes,
      region,
      endpoints,
      variables: { ...declared.Environment?.Variables, ...context.environment },
    });
    const pool = new FunctionPool({
      spec: {
        name,
        taskRoot,
        ...locateHandler(taskRoot, declared.Handler),
        timeoutMillis: (overrides.functionTimeoutSeconds ?? declared.Timeout) * 1_000,
        memoryMegabytes,
        environment,
        maxConcurrency: Math.min(
          declared.ReservedConcurrentExecutions ?? MAX_WORKERS,
          overrides.maxWorkersPerFunction ?? MAX_WORKERS,
        ),
      },
      log,
      onInvocation,
    });
    context.functions.set(identity.attributes.Arn ?? name, pool);
  },
};

function locateHandler(taskRoot: string, handler: string): { handlerFile: string; exportName: string } {
  const dot = handler.lastIndexOf('.');
  const candidates = ['.mjs', '.js', '.cjs'].map((extension) => join(taskRoot, handler.slice(0, dot) + extension));
  const handlerFile = candidates.find((candidate) => existsSync(candidate));
  if (handlerFile === undefined) {
    throw localStackError(`The bundle ${taskRoot} has no file for handler "${handler}". Run "cdk synth" again.`);
  }
  return { handlerFile, exportName: handler.slice(dot + 1) };
}
