import type { CommandContext } from './command.ts';
import { UsageError } from './usage-error.ts';

/** Where a command line gives a JSON value: as `--NAME JSON`, as `--NAME-file FILE`, or as `-` (standard input). */
export interface JsonSource {
  readonly name: string;
  readonly json: string | undefined;
  readonly file: string | undefined;
  readonly fromStdin: boolean;
}

/** Reads the value. @throws UsageError when it is given more than once or is no JSON */
export async function readJson(source: JsonSource, context: CommandContext): Promise<unknown> {
  const { name, json, file, fromStdin } = source;
  const given = countSources(source);
  if (given !== 1) {
    throw new UsageError(
      `${given === 0 ? `The ${name} is missing` : `There is more than one ${name}`}. Give one of --${name} JSON, --${name}-file FILE and - (standard input).`,
    );
  }
  const text = json ?? (await context.readText(fromStdin ? undefined : file));
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where = json !== undefined ? `--${name}` : (file ?? 'Standard input');
    throw new UsageError(`${where} is no JSON (${String(cause)}). A text needs quotes: --${name} '"hello"'.`, {
      cause,
    });
  }
}

/** How often the value is given. */
export const countSources = ({ json, file, fromStdin }: Omit<JsonSource, 'name'>): number =>
  [json !== undefined, file !== undefined, fromStdin].filter(Boolean).length;
