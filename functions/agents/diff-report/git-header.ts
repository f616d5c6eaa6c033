import { DEV_NULL, decodePath, type PathPair, splitGitNames, withoutPrefixes } from './diff-path.ts';
import type { LineCursor } from './line-cursor.ts';
import type { FileHeader } from './parsed-diff.ts';

const START = /^diff --(git|cc|combined) (.+)$/;
const EXTENDED =
  /^((?:old|new|new file|deleted file) mode|(?:rename|copy) (?:from|to)|(?:dis)?similarity index|index|mode) (.*)$/;

/** Whether a line begins a file in git's own format. */
export function gitHeaderStart(line: string): boolean {
  return START.test(line);
}

/** Reads git's header lines, so that the cursor stands on the first hunk, on the body of a binary patch, or behind the file. */
export function readGitHeader(cursor: LineCursor): FileHeader {
  const [, format, names = ''] = START.exec(cursor.peekHeader()) ?? [];
  cursor.advance();
  const extended = readExtendedLines(cursor);
  const fileLines = readFileLines(cursor);
  const binary = readBinary(cursor);
  const mode = modeChange(extended);
  const common = { binary, ...(mode && { mode }) };
  if (format !== 'git') return { path: decodePath(names).path, status: 'combined', ...common };

  for (const [verb, status] of [
    ['rename', 'renamed'],
    ['copy', 'copied'],
  ] as const) {
    const from = extended.get(`${verb} from`);
    const to = extended.get(`${verb} to`);
    if (from !== undefined && to !== undefined) {
      return { path: decodePath(to).path, oldPath: decodePath(from).path, status, ...common };
    }
  }
  const pair = splitGitNames(names) ?? fileLines ?? { old: names, new: names };
  if (extended.has('new file mode') || pair.old === DEV_NULL) return { path: pair.new, status: 'added', ...common };
  if (extended.has('deleted file mode') || pair.new === DEV_NULL)
    return { path: pair.old, status: 'deleted', ...common };
  return { path: pair.new, status: 'modified', ...common };
}

function readExtendedLines(cursor: LineCursor): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (;;) {
    const [, name, value] = EXTENDED.exec(cursor.peekHeader()) ?? [];
    if (name === undefined || value === undefined) return facts;
    facts.set(name, value);
    cursor.advance();
  }
}

function readFileLines(cursor: LineCursor): PathPair | undefined {
  if (!cursor.peekHeader().startsWith('--- ') || !cursor.peekHeader(1).startsWith('+++ ')) return undefined;
  const [from, to] = [cursor.peekHeader(), cursor.peekHeader(1)].map((line) => decodePath(line.slice(4)).path);
  cursor.advance(2);
  return from === undefined || to === undefined ? undefined : withoutPrefixes({ old: from, new: to });
}

function readBinary(cursor: LineCursor): boolean {
  const line = cursor.peekHeader();
  const binary = line === 'GIT binary patch' || line.startsWith('Binary files ');
  if (binary) cursor.advance();
  return binary;
}

function modeChange(extended: ReadonlyMap<string, string>): { from: string; to: string } | undefined {
  const from = extended.get('old mode');
  const to = extended.get('new mode');
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}
