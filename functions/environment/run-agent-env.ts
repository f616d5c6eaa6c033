import * as z from 'zod';
import { type Environment, parseEnvironment } from './parse-environment.ts';
import { deploymentConfig, filled, storeAndWakes } from './variables.ts';

const schema = z.object({
  ...storeAndWakes,
  OUTPUT_QUEUE_URL: filled,
  PAYLOAD_BUCKET_NAME: filled,
  STATUS_POLLER_ARN: filled,
  DEPLOYMENT_CONFIG: deploymentConfig,
});

/** What the stack passes to run-agent. */
export type RunAgentEnv = z.output<typeof schema>;

/** @throws AgentError `INVALID_ENVIRONMENT` */
export const parseRunAgentEnv = (environment: Environment): RunAgentEnv =>
  parseEnvironment('run-agent', schema, environment);
