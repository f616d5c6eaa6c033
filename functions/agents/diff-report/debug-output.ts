import { extensionOf, isComment } from './source-file.ts';

const JAVASCRIPT = /(?<![\w.$])(?:console\.(?:log|debug|trace|dir|table)(?=\s?\()|debugger\b)/;
const JVM = /(?<![\w.])System\.(?:out|err)\.print(?:ln|f)?(?=\()|\.printStackTrace(?=\(\))/;
const C_FAMILY = /(?<![\w.])(?:NSLog|OutputDebugString[AW]?)(?=\()/;

/** What prints or stops for a developer's eyes only, by file name extension. */
const PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  ...['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte'].map((name) => [name, JAVASCRIPT] as const),
  ...['java', 'groovy'].map((name) => [name, JVM] as const),
  ...['c', 'h', 'cc', 'cpp', 'hpp', 'm', 'mm'].map((name) => [name, C_FAMILY] as const),
  ['kt', /(?<![\w.])println(?=\()|\.printStackTrace(?=\(\))/],
  ['scala', /(?<![\w.])println(?=\()|\.printStackTrace(?=\(\))/],
  ['py', /(?<![\w.])(?:print(?=\s?\()|breakpoint(?=\()|i?pdb\.set_trace(?=\()|import i?pdb\b)/],
  ['rb', /(?<![\w.])(?:binding\.(?:pry|irb)|byebug)\b/],
  ['go', /(?<![\w.])(?:fmt\.Print(?:ln|f)?|spew\.Dump|println)(?=\()/],
  ['rs', /(?<![\w.])dbg!(?=\()/],
  ['php', /(?<![\w>:$])(?:var_dump|print_r|dd)(?=\()/],
  ['cs', /(?<![\w.])(?:Console\.Write(?:Line)?|Debugger\.(?:Break|Launch))(?=\()/],
  ['swift', /(?<![\w.])(?:debugPrint|print|dump)(?=\()/],
  ['ex', /(?<![\w.])(?:IO\.inspect|IEx\.pry)\b/],
  ['exs', /(?<![\w.])(?:IO\.inspect|IEx\.pry)\b/],
]);

/** The statement that prints debug output or halts in a debugger, if the line has one. */
export function debugOutput(path: string, text: string): string | undefined {
  if (isComment(text)) return undefined;
  return PATTERNS.get(extensionOf(path))?.exec(text)?.[0].trim();
}
