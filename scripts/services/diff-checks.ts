import { transformSync } from 'esbuild';
import * as z from 'zod';
import { addedLines } from '../../functions/agents/diff-report/added-lines.ts';
import type { ParsedDiff, ParsedFile } from '../../functions/agents/diff-report/parsed-diff.ts';
import { plural } from '../../functions/agents/diff-report/plural.ts';
import { parseUnifiedDiff } from '../../functions/agents/diff-report/unified-diff.ts';

interface Check {
  readonly name: string;
  /** What is wrong; empty: nothing. */
  readonly problemsOf: (diff: ParsedDiff) => readonly string[];
}

/** Throws for a text that is not well-formed. */
type Compile = (text: string, path: string) => void;

const LONGEST_LINE = 200;
/** As many problems of a check as somebody will read. */
const MAX_SHOWN = 3;
const CODE = /\.[cm]?[jt]sx?$/;
const TEST = /(?:^|\/)tests?\/|\.test\.|\.spec\./;

const CHECKS: readonly Check[] = [
  {
    name: 'the diff can be read',
    problemsOf: ({ files, problems }) => [
      ...problems.map(({ message }) => message),
      ...files.flatMap((file) => file.problems.map((problem) => `${file.path}: ${problem}`)),
    ],
  },
  {
    name: 'no conflict is left',
    problemsOf: eachLine((text) => /^(?:<{7}|>{7})(?: |$)/.test(text) && 'a conflict marker'),
  },
  { name: 'new JSON files are JSON', problemsOf: eachNewFile(/\.json$/, (text) => void JSON.parse(text)) },
  {
    name: 'new code files compile',
    problemsOf: eachNewFile(
      CODE,
      (text, path) => void transformSync(text, { loader: loaderOf(path), logLevel: 'silent' }),
    ),
  },
  {
    name: `no line is longer than ${LONGEST_LINE} characters`,
    problemsOf: eachLine((text) => text.length > LONGEST_LINE && plural(text.length, 'character')),
  },
  {
    name: 'code comes with tests',
    problemsOf({ files }) {
      const paths = files.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
      const code = paths.filter((path) => CODE.test(path) && !TEST.test(path));
      return code.length === 0 || paths.some((path) => TEST.test(path)) ? [] : [`${code[0]} has none`];
    },
  },
];

/** What a run of the checks found, as its log would say it. */
export interface CheckReport {
  readonly passed: number;
  readonly failed: number;
  readonly text: string;
}

/** Runs every check over a unified diff. */
export function runChecks(diff: string): CheckReport {
  const parsed = parseUnifiedDiff(diff);
  const results = CHECKS.map(({ name, problemsOf }) => ({ name, problems: problemsOf(parsed) }));
  const failures = results.filter(({ problems }) => problems.length > 0);
  const passed = results.length - failures.length;
  const head = `${plural(passed, 'check')} passed, ${failures.length} failed`;
  const lines = failures.map(({ name, problems }) => {
    const more = problems.length > MAX_SHOWN ? ` and ${problems.length - MAX_SHOWN} more` : '';
    return `- ${name}: ${problems.slice(0, MAX_SHOWN).join('; ')}${more}`;
  });
  return { passed, failed: failures.length, text: [lines.length === 0 ? head : `${head}:`, ...lines].join('\n') };
}

function eachLine(problemOf: (text: string) => string | false): Check['problemsOf'] {
  return ({ files }) =>
    files.flatMap((file) =>
      Array.from(addedLines(file)).flatMap(({ line, text }) => {
        const problem = problemOf(text);
        return problem === false ? [] : [`${file.path}:${line}: ${problem}`];
      }),
    );
}

/** Only of a new file the diff holds the whole text. */
function eachNewFile(name: RegExp, compile: Compile): Check['problemsOf'] {
  return ({ files }) =>
    files
      .filter(({ path, status, binary }) => status === 'added' && !binary && name.test(path))
      .flatMap((file) => problemIn(file, compile));
}

function problemIn(file: ParsedFile, compile: Compile): readonly string[] {
  try {
    compile(Array.from(addedLines(file), ({ text }) => text).join('\n'), file.path);
    return [];
  } catch (error) {
    return [`${file.path}: ${describe(error)}`];
  }
}

/** Types in a JavaScript file are an error; JSX in one is common. */
function loaderOf(path: string): 'ts' | 'tsx' | 'jsx' {
  if (path.endsWith('.tsx')) return 'tsx';
  return /\.[cm]?ts$/.test(path) ? 'ts' : 'jsx';
}

function describe(error: unknown): string {
  const [failure] = compilation.safeParse(error).data?.errors ?? [];
  if (failure) return `line ${failure.location?.line ?? '?'}: ${failure.text}`;
  return error instanceof Error ? error.message : String(error);
}

/** What the compiler throws. */
const compilation = z.object({
  errors: z.array(z.object({ text: z.string(), location: z.object({ line: z.number() }).nullable() })),
});
