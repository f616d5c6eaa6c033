import * as z from 'zod';
import { type Environment, parseEnvironment } from './parse-environment.ts';
import { storeAndWakes } from './variables.ts';

const schema = z.object({
  ...storeAndWakes,
});

/** What the stack passes to sweep-runs. */
export type SweepRunsEnv = z.output<typeof schema>;

/** @throws AgentError `INVALID_ENVIRONMENT` */
export const parseSweepRunsEnv = (environment: Environment): SweepRunsEnv =>
  parseEnvironment('sweep-runs', schema, environment);
