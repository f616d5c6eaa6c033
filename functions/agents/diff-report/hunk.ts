import type { FileTally, HunkLine } from './file-tally.ts';
import type { LineCursor } from './line-cursor.ts';

/** A hunk's header: how many lines each side has. A combined diff has several old sides, and a column for each. */
export interface HunkHeader {
  readonly oldCounts: readonly number[];
  readonly newStart: number;
  readonly newCount: number;
}

// Nine digits hold every line number and stay exact.
const HEADER = /^(@@+) ((?:-\d{1,9}(?:,\d{1,9})? ){1,64})\+(\d{1,9})(?:,(\d{1,9}))? (@@+)/;

/** Reads `@@ -1,2 +1,3 @@` or `@@@ -1,2 -1,2 +1,3 @@@`; a count left out is 1. */
export function parseHunkHeader(line: string): HunkHeader | undefined {
  const match = HEADER.exec(line);
  if (match === null) return undefined;
  const [, opening = '', old = '', newStart, newCount = '1', closing] = match;
  const oldCounts = old
    .trim()
    .split(' ')
    .map((range) => Number(range.split(',')[1] ?? '1'));
  if (opening !== closing || opening.length !== oldCounts.length + 1) return undefined;
  return { oldCounts, newStart: Number(newStart), newCount: Number(newCount) };
}

/**
 * Reads the lines of a hunk, as many as its header counts, so that a removed `-- comment` is no file header.
 * False when the hunk ends early or a line does not fit; the cursor then stands on that line.
 */
export function readHunk(cursor: LineCursor, header: HunkHeader, tally: FileTally): boolean {
  const oldLeft = [...header.oldCounts];
  let newLeft = header.newCount;
  while (newLeft > 0 || oldLeft.some((left) => left > 0)) {
    const raw = cursor.peek();
    const change = raw === undefined ? undefined : splitHunkLine(raw, oldLeft.length);
    if (change === undefined) return false;

    const { kind, prefix, text } = change;
    const isNew = kind !== 'removed';
    const isOld = [...prefix].map((mark) => mark === (isNew ? ' ' : '-'));
    if ((isNew && newLeft === 0) || isOld.some((belongs, parent) => belongs && oldLeft[parent] === 0)) return false;

    const line = header.newStart + header.newCount - newLeft;
    isOld.forEach((belongs, parent) => {
      oldLeft[parent] = (oldLeft[parent] ?? 0) - Number(belongs);
    });
    newLeft -= Number(isNew);
    cursor.advance();
    const terminated = !skipNoNewlineMark(cursor);
    tally.add({ kind, text, line, terminated });
  }
  return true;
}

function splitHunkLine(
  raw: string,
  columns: number,
): { readonly kind: HunkLine['kind']; readonly prefix: string; readonly text: string } | undefined {
  // Mail programs and editors cut the prefix off an empty context line, which may end in CRLF.
  if (raw === '\r') return { kind: 'context', prefix: ' '.repeat(columns), text: raw };
  const prefix = raw.slice(0, columns).padEnd(columns);
  if (!/^(?:[ +]+|[ -]+)$/.test(prefix)) return undefined;
  const kind = prefix.includes('+') ? 'added' : prefix.includes('-') ? 'removed' : 'context';
  return { kind, prefix, text: raw.slice(columns) };
}

// The words after the backslash are translated, the backslash is not.
function skipNoNewlineMark(cursor: LineCursor): boolean {
  const isMark = cursor.peek()?.startsWith('\\ ') ?? false;
  if (isMark) cursor.advance();
  return isMark;
}
