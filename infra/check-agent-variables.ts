import type { AcceptRequestsEnv } from '../functions/environment/accept-requests-env.ts';
import type { PollSubagentEnv } from '../functions/environment/poll-subagent-env.ts';
import type { RunAgentEnv } from '../functions/environment/run-agent-env.ts';
import type { ConfigInput } from '../lib/agent/config.ts';
import { AgentError } from '../lib/errors/agent-error.ts';

type Variables = Readonly<Record<string, string>>;

// Lambda allows 4 KB for all variables. The names and values of our own need less than 1 KB of it.
const CALLER_VARIABLE_BYTES = 3 * 1024;
const OWN_VARIABLES: Readonly<Record<keyof RunAgentEnv | keyof AcceptRequestsEnv | keyof PollSubagentEnv, true>> = {
  STORE_TABLE_NAME: true,
  STORE_INDEX_NAME: true,
  WAKE_QUEUE_URL: true,
  OUTPUT_QUEUE_URL: true,
  DEAD_LETTER_QUEUE_URL: true,
  PAYLOAD_BUCKET_NAME: true,
  STATUS_POLLER_ARN: true,
  DEPLOYMENT_CONFIG: true,
};
// "Defined runtime environment variables": reserved ones cannot be set.
const RESERVED_VARIABLES = new Set([
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_DEFAULT_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
]);
const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]+$/;

/** @throws AgentError `INVALID_CONFIG` for variables that Lambda would refuse while it is deployed, or that the stack sets itself */
export function checkAgentVariables(variables: Variables, config: ConfigInput): void {
  for (const name of Object.keys(variables)) {
    const problem = problemOf(name);
    if (problem) throw new AgentError('INVALID_CONFIG', `runAgent.environment sets ${name}, ${problem}`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(config) + JSON.stringify(variables));
  if (bytes > CALLER_VARIABLE_BYTES) {
    throw new AgentError(
      'INVALID_CONFIG',
      `config and runAgent.environment take ${bytes} bytes, but Lambda has room for ${CALLER_VARIABLE_BYTES}. ` +
        'Move long values into the agents or into a parameter store.',
    );
  }
}

function problemOf(name: string): string | undefined {
  if (Object.hasOwn(OWN_VARIABLES, name)) return 'which the stack sets itself. Rename the variable.';
  if (RESERVED_VARIABLES.has(name)) return 'which Lambda sets itself. Leave it out.';
  if (VARIABLE_NAME.test(name)) return undefined;
  return 'which Lambda does not take. Begin with a letter and go on with letters, digits and underscores.';
}
