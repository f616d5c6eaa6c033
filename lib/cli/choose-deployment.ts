import { isAbsolute, join, resolve } from 'node:path';
import { AgentError } from '../errors/agent-error.ts';
import { findRunningStack, type RunningStack } from '../local/running-stack.ts';
import type { DeploymentChoice } from './deployment.ts';

/** Where the command runs. */
export interface CommandEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The repository. */
  readonly projectDirectory: string;
  readonly workingDirectory: string;
}

export type ChosenDeployment =
  | { readonly kind: 'local'; readonly stack: RunningStack; readonly insteadOf: string | undefined }
  | { readonly kind: 'deployed'; readonly stackName: string };

/**
 * What was named explicitly counts; else the local stack if one runs; else the stack that the environment names.
 * @throws AgentError `STACK_NOT_FOUND`
 */
export async function chooseDeployment(
  choice: DeploymentChoice,
  environment: CommandEnvironment,
): Promise<ChosenDeployment> {
  if (choice.stack !== undefined) return { kind: 'deployed', stackName: choice.stack };
  const { LAMBDA_AGENTS_STACK: stackName } = environment.variables;
  const namesAws = choice.region !== undefined || choice.endpointUrl !== undefined;
  const stack = namesAws && choice.state === undefined ? undefined : await findLocalStack(choice, environment);
  if (stack !== undefined) return { kind: 'local', stack, insteadOf: stackName };
  if (choice.state !== undefined) {
    throw new AgentError(
      'STACK_NOT_FOUND',
      `No local stack runs with its state in ${choice.state}. Start it with npm start.`,
    );
  }
  if (stackName) return { kind: 'deployed', stackName };
  throw new AgentError(
    'STACK_NOT_FOUND',
    'No local stack runs and no stack is named. Start one with npm start, or name a deployed one with --stack NAME or LAMBDA_AGENTS_STACK.',
  );
}

async function findLocalStack(
  { state }: DeploymentChoice,
  { projectDirectory, workingDirectory }: CommandEnvironment,
): Promise<RunningStack | undefined> {
  const directory = stateDirectory(state, projectDirectory, workingDirectory);
  try {
    return await findRunningStack(directory);
  } catch (cause) {
    const file = join(directory, 'stack.json');
    throw new AgentError(
      'STACK_NOT_FOUND',
      `${file} cannot be read. End the local stack, remove the file, start it again.`,
      {
        cause,
      },
    );
  }
}

function stateDirectory(state: string | undefined, projectDirectory: string, workingDirectory: string): string {
  if (state === undefined) return join(projectDirectory, '.local');
  return isAbsolute(state) ? state : resolve(workingDirectory, state);
}
