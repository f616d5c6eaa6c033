import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { AsyncSubagentSetup } from './async-subagent-setup.ts';
import type { SetupClass } from './subagent-setup.ts';

const DEFAULT_INTERVAL_MILLIS = 500;
/** `setTimeout` and a year of waiting both hold more. */
const MAX_INTERVAL_MILLIS = 86_400_000;

/** A sub-agent that passed every check that needs no run. */
export interface PlannedSubagent {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: z.ZodType | string | undefined;
  readonly intervalMillis: number;
  readonly timeoutMillis: number | undefined;
  /** The one instance of this process; made at its first use, so that compiling a plan runs no code of it. */
  readonly setup: () => AsyncSubagentSetup;
}

/** No run lives longer. */
const MAX_TIMEOUT_MILLIS = 365 * 86_400_000;

/** What every setup must have; the others have defaults. */
const HOOKS = ['callSubmitRequest', 'callQueryStatus', 'callFetchResult'] as const;

const OPTIONS = {
  clazz: z
    .custom<SetupClass<AsyncSubagentSetup>>(
      (value) => typeof value === 'function' && value.prototype instanceof AsyncSubagentSetup,
      'must be a class that extends AsyncSubagentSetup (an instance is not enough: the class is given, its configuration beside it)',
    )
    .refine(
      ({ prototype }) => HOOKS.every((hook) => typeof prototype[hook] === 'function'),
      `must have the methods ${HOOKS.join(', ')}`,
    ),
  description: z.string().min(1).optional(),
  inputSchema: z.union([z.custom<z.ZodType>((value) => value instanceof z.ZodType), z.string().min(1)]).optional(),
  statusPollIntervalMillis: z.int().min(100).max(MAX_INTERVAL_MILLIS).default(DEFAULT_INTERVAL_MILLIS),
  timeoutMillis: z.int().positive().max(MAX_TIMEOUT_MILLIS).optional(),
} as const;

/** @throws AgentError `INVALID_RESOURCE` naming each option that is missing, unknown or wrong */
export function planSubagent(agent: string, name: string, declaration: unknown): PlannedSubagent {
  const refuse = (error: z.ZodError): AgentError =>
    new AgentError(
      'INVALID_RESOURCE',
      `Sub-agent "${name}" of agent "${agent}" is not valid. Give { clazz, … } with what its class asks for. ${z.prettifyError(error)}`,
    );
  const clazz = z.object({ clazz: OPTIONS.clazz }).safeParse(declaration);
  if (!clazz.success) throw refuse(clazz.error);
  const given = Object.entries(declaration as object);
  const isOption = (option: string): boolean => Object.hasOwn(OPTIONS, option);
  const options = z.object(OPTIONS).safeParse(Object.fromEntries(given.filter(([option]) => isOption(option))));
  // With the author's own schema as it is, so that its refinements hold.
  const configSchema = (clazz.data.clazz.configSchema ?? z.object({})).strict();
  const taken = Object.keys(configSchema.shape).find(isOption);
  if (taken !== undefined) {
    throw new AgentError(
      'INVALID_RESOURCE',
      `Sub-agent "${name}" of agent "${agent}" is not valid. Its configuration has the member "${taken}", which is an option of every sub-agent. Rename it.`,
    );
  }
  const config = configSchema.safeParse(Object.fromEntries(given.filter(([option]) => !isOption(option))));
  const issues = [options, config].flatMap(({ error }) => error?.issues ?? []);
  if (!options.success || !config.success) throw refuse(new z.ZodError(issues));
  const { clazz: Clazz, description, inputSchema, statusPollIntervalMillis, timeoutMillis } = options.data;
  let setup: AsyncSubagentSetup | undefined;
  return {
    name,
    description,
    inputSchema,
    intervalMillis: statusPollIntervalMillis,
    timeoutMillis,
    setup: () => {
      setup ??= new Clazz(config.data as never);
      return setup;
    },
  };
}
