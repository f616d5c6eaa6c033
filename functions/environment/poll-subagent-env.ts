import * as z from 'zod';
import { type Environment, parseEnvironment } from './parse-environment.ts';
import { deploymentConfig, filled, storeAndWakes } from './variables.ts';

const schema = z.object({
  ...storeAndWakes,
  PAYLOAD_BUCKET_NAME: filled,
  DEPLOYMENT_CONFIG: deploymentConfig,
});

/** What the stack passes to poll-subagent. */
export type PollSubagentEnv = z.output<typeof schema>;

/** @throws AgentError `INVALID_ENVIRONMENT` */
export const parsePollSubagentEnv = (environment: Environment): PollSubagentEnv =>
  parseEnvironment('poll-subagent', schema, environment);
