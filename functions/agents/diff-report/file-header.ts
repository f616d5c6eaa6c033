import { DEV_NULL, decodePath, type PathPair, withoutPrefixes } from './diff-path.ts';
import { gitHeaderStart, readGitHeader } from './git-header.ts';
import type { LineCursor } from './line-cursor.ts';
import type { FileHeader } from './parsed-diff.ts';

// Two paths of PATH_MAX (4,096 bytes); a longer line is none of diff's, and trying its splits would take long.
const BINARY = /^Binary files (.{1,8192}) differ$/;
const ABSENT = /^(?:1970-01-01|1969-12-31) |^\((?:revision 0|nonexistent)\)/;

/** Whether the next line begins another file. */
export function startsFile(cursor: LineCursor): boolean {
  return gitHeaderStart(cursor.peekHeader()) || startsPlainFile(cursor) || BINARY.test(cursor.peekHeader());
}

/** Reads the header of the file that begins here, up to its first hunk. */
export function readFileHeader(cursor: LineCursor): FileHeader {
  if (gitHeaderStart(cursor.peekHeader())) return readGitHeader(cursor);
  if (startsPlainFile(cursor)) return readPlainHeader(cursor);
  const names = BINARY.exec(cursor.peekHeader())?.[1] ?? '';
  cursor.advance();
  return { path: splitBinaryNames(names).new, status: 'modified', binary: true };
}

function startsPlainFile(cursor: LineCursor): boolean {
  return (
    cursor.peekHeader().startsWith('--- ') &&
    cursor.peekHeader(1).startsWith('+++ ') &&
    cursor.peekHeader(2).startsWith('@@ ')
  );
}

function readPlainHeader(cursor: LineCursor): FileHeader {
  const from = decodePath(cursor.peekHeader().slice('--- '.length));
  const to = decodePath(cursor.peekHeader(1).slice('+++ '.length));
  cursor.advance(2);
  const pair = withoutPrefixes({ old: from.path, new: to.path });
  if (from.path === DEV_NULL || ABSENT.test(from.comment)) return { path: pair.new, status: 'added', binary: false };
  if (to.path === DEV_NULL || ABSENT.test(to.comment)) return { path: pair.old, status: 'deleted', binary: false };
  return { path: pair.new, status: 'modified', binary: false };
}

function splitBinaryNames(names: string): PathPair {
  const word = ' and ';
  const splits: PathPair[] = [];
  for (let at = names.indexOf(word); at >= 0; at = names.indexOf(word, at + 1)) {
    const pair = withoutPrefixes({ old: names.slice(0, at), new: names.slice(at + word.length) });
    if (pair.old === pair.new) return pair;
    splits.push(pair);
  }
  return splits[0] ?? { old: names, new: names };
}
