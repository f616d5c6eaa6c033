import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { DeploymentChoice } from './deployment.ts';
import { UsageError } from './usage-error.ts';

export type OptionDeclarations = NonNullable<ParseArgsConfig['options']>;

const DEPLOYMENT_OPTIONS = {
  stack: { type: 'string' },
  region: { type: 'string' },
  'endpoint-url': { type: 'string' },
  state: { type: 'string' },
} as const satisfies OptionDeclarations;

export const DEPLOYMENT_HELP = `Which deployment:
  --stack NAME         a deployed stack (default: the local stack if one runs, else LAMBDA_AGENTS_STACK)
  --region REGION      its region (default: as every AWS SDK finds it)
  --endpoint-url URL   an emulator instead of AWS (default: AWS_ENDPOINT_URL)
  --state DIRECTORY    the local stack that keeps its state there (default: .local of this project)`;

type Parsed<Options extends OptionDeclarations> = ReturnType<
  typeof parseArgs<{
    options: Options & typeof DEPLOYMENT_OPTIONS;
    strict: true;
    allowPositionals: true;
    args: string[];
  }>
>;

export interface CommandArguments<Options extends OptionDeclarations> {
  readonly values: Parsed<Options>['values'];
  readonly positionals: readonly string[];
  readonly choice: DeploymentChoice;
}

/**
 * Reads the arguments of a command. Its own options come on top of those that choose the deployment.
 * @throws UsageError for an unknown option or a missing value
 */
export function parseArguments<const Options extends OptionDeclarations>(
  args: readonly string[],
  options: Options,
): CommandArguments<Options> {
  const { values, positionals } = parse(args, { ...options, ...DEPLOYMENT_OPTIONS });
  const { stack, region, 'endpoint-url': endpointUrl, state } = values as Parsed<typeof DEPLOYMENT_OPTIONS>['values'];
  return { values: values as Parsed<Options>['values'], positionals, choice: { stack, region, endpointUrl, state } };
}

function parse<const Options extends OptionDeclarations>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
      throw error;
    // Node adds advice about dashes that hides the fact.
    const [fact = error.message] = error.message.split(/\.\s|\n/);
    throw new UsageError(`${fact.replace(/\.$/, '')}.`, { cause: error });
  }
}

/** Takes exactly the named arguments. @throws UsageError when one is missing or there is one more */
export function takePositionals<const Names extends readonly string[]>(
  positionals: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: string } {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (positionals.length > names.length) throw new UsageError(`There is no place for "${positionals[names.length]}".`);
  return positionals as unknown as { readonly [Index in keyof Names]: string };
}

/** @throws UsageError when it is no positive number */
export function positiveNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${option} is ${JSON.stringify(text)}. Give a number above 0.`);
}
