import { addedLines } from './added-lines.ts';
import type { ParsedFile } from './parsed-diff.ts';

/**
 * The first added line whose ending differs from the file's: that of the unchanged lines around it, or, where there
 * are none, of most added lines. A file that was mixed before is not the diff's doing.
 */
export function findMixedEnding(
  file: Pick<ParsedFile, 'blocks' | 'unterminatedAt' | 'contextEndings'>,
): number | undefined {
  if (file.contextEndings === 'mixed') return undefined;
  const lines = [...addedLines(file)].filter(({ ending }) => ending !== 'none');
  const crlf = lines.filter(({ ending }) => ending === 'crlf').length;
  const ofMost = crlf * 2 === lines.length ? lines[0]?.ending : crlf * 2 > lines.length ? 'crlf' : 'lf';
  const expected = file.contextEndings === 'none' ? ofMost : file.contextEndings;
  return lines.find(({ ending }) => ending !== expected)?.line;
}
