import * as z from 'zod';
import { type Environment, parseEnvironment } from './parse-environment.ts';
import { deploymentConfig, filled, storeAndWakes } from './variables.ts';

const schema = z.object({
  ...storeAndWakes,
  DEAD_LETTER_QUEUE_URL: filled,
  PAYLOAD_BUCKET_NAME: filled,
  DEPLOYMENT_CONFIG: deploymentConfig,
});

/** What the stack passes to accept-requests. */
export type AcceptRequestsEnv = z.output<typeof schema>;

/** @throws AgentError `INVALID_ENVIRONMENT` */
export const parseAcceptRequestsEnv = (environment: Environment): AcceptRequestsEnv =>
  parseEnvironment('accept-requests', schema, environment);
