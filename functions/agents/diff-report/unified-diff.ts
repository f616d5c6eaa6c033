import { readFileHeader, startsFile } from './file-header.ts';
import { FileTally } from './file-tally.ts';
import { parseHunkHeader, readHunk } from './hunk.ts';
import { LineCursor } from './line-cursor.ts';
import type { ParsedDiff, ParsedFile, ParseProblem } from './parsed-diff.ts';

const REMEDY = 'Make the diff again, and pass it on unedited.';

/**
 * Reads a unified diff as git or `diff -u` write it, in time linear in its length. What cannot be read is a problem
 * in the result, never an exception.
 */
export function parseUnifiedDiff(text: string): ParsedDiff {
  const cursor = new LineCursor(text);
  const files: ParsedFile[] = [];
  const problems: ParseProblem[] = [];
  while (cursor.peek() !== undefined) {
    if (startsFile(cursor)) files.push(readFile(cursor));
    else skipOutsideFiles(cursor, problems);
  }
  if (files.length === 0 && problems.length === 0 && text.trim() !== '') {
    const message = 'No file header of a unified diff was found. Send the output of "git diff" or "diff -u".';
    problems.push({ kind: 'not-a-diff', message });
  }
  return { files, problems };
}

/** Mail headers, commit messages, `Only in …`; a hunk here lost its file header. */
function skipOutsideFiles(cursor: LineCursor, problems: ParseProblem[]): void {
  const at = cursor.lineNumber;
  const hunk = parseHunkHeader(cursor.peekHeader());
  cursor.advance();
  if (hunk === undefined) return;
  readHunk(cursor, hunk, new FileTally());
  problems.push({
    kind: 'malformed-diff',
    message: `The hunk at line ${at} of the diff has no file header. ${REMEDY}`,
  });
}

function readFile(cursor: LineCursor): ParsedFile {
  const header = readFileHeader(cursor);
  const tally = new FileTally();
  const report = (fact: string) => tally.addProblem(`${fact} ${REMEDY}`);

  let wholeHunkAt: number | undefined;
  while (cursor.peek() !== undefined && !startsFile(cursor)) {
    const at = cursor.lineNumber;
    const line = cursor.peekHeader();
    const hunk = parseHunkHeader(line);
    cursor.advance();
    if (hunk !== undefined) {
      wholeHunkAt = readHunk(cursor, hunk, tally) ? at : undefined;
      if (wholeHunkAt === undefined) report(`The hunk at line ${at} of the diff has fewer lines than its header says.`);
      continue;
    }
    if (line.startsWith('@@')) report(`The hunk header at line ${at} of the diff cannot be read.`);
    if (wholeHunkAt !== undefined && isHunkLine(line)) {
      report(`The hunk at line ${wholeHunkAt} of the diff has more lines than its header says.`);
    }
    wholeHunkAt = undefined;
  }

  const lines = tally.result();
  const isOnlyMode = header.mode !== undefined && !header.binary && lines.added + lines.removed === 0;
  const status = header.status === 'modified' && isOnlyMode ? 'mode-changed' : header.status;
  return { ...header, status, ...lines };
}

// `-- ` parts the signature from a mailed patch.
function isHunkLine(line: string): boolean {
  return /^[ +-]/.test(line) && line.trimEnd() !== '--';
}
