import * as z from 'zod';
import { AgentError } from '../../lib/errors/agent-error.ts';

/** A function's variables as the runtime gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws AgentError `INVALID_ENVIRONMENT` naming each variable that is missing or wrong */
export function parseEnvironment<Schema extends z.ZodType>(
  where: string,
  schema: Schema,
  environment: Environment,
): z.output<Schema> {
  const parsed = schema.safeParse(environment, { jitless: true });
  if (parsed.success) return parsed.data;
  throw new AgentError(
    'INVALID_ENVIRONMENT',
    `The environment of ${where} is not what it was deployed with. Deploy the stack again. ${z.prettifyError(parsed.error)}`,
  );
}
