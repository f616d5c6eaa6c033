import { describe, expect, it } from 'vitest';
import { parsedDiff } from '../../../functions/agents/diff-report/parsed-diff.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

const parseFile = (diff: string) => {
  const parsed = parseUnifiedDiff(diff);
  expect(parsed.problems).toEqual([]);
  expect(parsed.files).toHaveLength(1);
  const [file] = parsed.files;
  if (file === undefined) throw new Error('The diff has no file.');
  return file;
};
const plain = (...hunkLines: string[]) => ['--- a/x.txt', '+++ b/x.txt', ...hunkLines, ''].join('\n');

describe('parseUnifiedDiff', () => {
  it('numbers added lines as in the new file and groups neighbours', () => {
    const file = parseFile(plain('@@ -10,4 +20,6 @@ function', ' a', '+b', '+c', ' d', '-e', '+f', '+g', ' h'));
    expect(file.blocks).toEqual([
      { line: 21, texts: ['b', 'c'] },
      { line: 24, texts: ['f', 'g'] },
    ]);
    expect(file).toMatchObject({ added: 4, removed: 1, contextEndings: 'lf' });
  });

  it('takes a count left out for one', () => {
    expect(parseFile(plain('@@ -1 +1 @@', '-a', '+b'))).toMatchObject({ added: 1, removed: 1 });
  });

  it('takes an empty line in a hunk for an unchanged empty line whose space was cut off', () => {
    expect(parseFile(plain('@@ -1,3 +1,4 @@', ' a', '', '+b', ' c'))).toMatchObject({
      problems: [],
      blocks: [{ line: 3, texts: ['b'] }],
    });
  });

  it('takes a lone CR in a hunk for an unchanged empty line that ends in CRLF', () => {
    expect(parseFile(plain('@@ -1,2 +1,3 @@', ' a\r', '\r', '+b\r'))).toMatchObject({
      problems: [],
      contextEndings: 'crlf',
      blocks: [{ line: 3, texts: ['b\r'] }],
    });
  });

  it('reads removed and added lines that look like file headers by the counts of the hunk', () => {
    const file = parseFile(plain('@@ -1,2 +1,2 @@', '--- a/y.txt', '+++ b/y.txt', ' @@ -1 +1 @@'));
    expect(file).toMatchObject({ path: 'x.txt', added: 1, removed: 1, blocks: [{ line: 1, texts: ['++ b/y.txt'] }] });
  });

  it('keeps the end of file mark of either side apart', () => {
    const mark = '\\ Kein Zeilenumbruch am Dateiende.';
    expect(parseFile(plain('@@ -1 +1 @@', '-a', '+b', mark))).toMatchObject({
      unterminatedAt: 1,
      unterminatedBefore: false,
    });
    const gained = parseFile(plain('@@ -1 +1 @@', '-a', mark, '+b'));
    expect(gained.unterminatedBefore).toBe(true);
    expect(gained).not.toHaveProperty('unterminatedAt');
  });

  it('keeps a CR as part of an added line and says how unchanged lines end', () => {
    expect(parseFile(plain('@@ -1 +1,2 @@', ' a\r', '+b'))).toMatchObject({
      contextEndings: 'crlf',
      blocks: [{ line: 2, texts: ['b'] }],
    });
    expect(parseFile(plain('@@ -1,2 +1,3 @@', ' a\r', ' b', '+c\r'))).toMatchObject({
      contextEndings: 'mixed',
      blocks: [{ line: 3, texts: ['c\r'] }],
    });
  });

  it('reads a whole diff that travelled with CRLF as if it had not', () => {
    const diff = plain('@@ -1 +1,2 @@', ' a', '+b');
    expect(parseUnifiedDiff(diff.replaceAll('\n', '\r\n'))).toEqual(parseUnifiedDiff(diff));
  });

  it('skips a byte order mark', () => {
    const diff = plain('@@ -1 +1,2 @@', ' a', '+b');
    expect(parseUnifiedDiff(`\uFEFF${diff}`)).toEqual(parseUnifiedDiff(diff));
  });

  it('counts a line of a combined diff once, however many parents it differs from', () => {
    const diff = 'diff --cc x.txt\nindex 1,2,3..4\n--- a/x.txt\n+++ b/x.txt\n';
    const hunk = '@@@@ -1,2 -1,2 -1 +1,3 @@@@\n   kept\n---gone\n+++new\n+ +old to one\n';
    expect(parseUnifiedDiff(diff + hunk).files[0]?.problems).toHaveLength(1);
    const counted = '@@@@ -1,2 -1,3 -1,2 +1,3 @@@@\n   kept\n---gone\n+++new\n+ +old to one\n';
    expect(parseFile(diff + counted)).toMatchObject({ status: 'combined', added: 2, removed: 1, problems: [] });
  });

  it('reports a hunk without a file header, and reads nothing in it as a file', () => {
    const parsed = parseUnifiedDiff('@@ -1,2 +1,2 @@\n--- a/y.txt\n+++ b/y.txt\n a\n');
    expect(parsed.files).toEqual([]);
    expect(parsed.problems).toMatchObject([{ kind: 'malformed-diff', message: expect.stringContaining('line 1') }]);
  });

  it.each([
    ['ends early', ['@@ -1,9 +1,9 @@', ' a', '+b'], 'line 3 of the diff has fewer lines'],
    ['has a line that is none of a hunk', ['@@ -1,3 +1,3 @@', ' a', 'b', ' c'], 'line 3 of the diff has fewer lines'],
    ['has more added lines than counted', ['@@ -1,2 +1,2 @@', ' a', '+b', '+c'], 'line 3 of the diff has fewer lines'],
    ['goes on after its count', ['@@ -1 +1 @@', ' a', '+b', '+c'], 'line 3 of the diff has more lines'],
    ['has an unreadable header', ['@@ -1,2 +x @@', '+b'], 'header at line 3 of the diff cannot be read'],
    [
      'has a header for other columns',
      ['@@ -1 +1 @@', '-a', '+b', '@@@ -1 +1 @@@', '+c'],
      'header at line 6 of the diff cannot be read',
    ],
  ])('reports once that a hunk %s', (_, lines, fact) => {
    const { files } = parseUnifiedDiff(plain(...lines));
    expect(files[0]?.problems).toEqual([expect.stringContaining(fact)]);
  });

  it('goes on with the next hunk and the next file after a broken hunk', () => {
    const broken = plain('@@ -1,9 +1,9 @@', ' a', 'garbage', '@@ -30 +30,2 @@', ' a', '+b');
    const { files } = parseUnifiedDiff(`${broken}diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1,2 @@\n a\n+c\n`);
    expect(files).toMatchObject([
      { path: 'x.txt', added: 1, blocks: [{ line: 31, texts: ['b'] }] },
      { path: 'y', added: 1, problems: [] },
    ]);
  });

  it('does not take the commit message of the next patch for lines of a hunk', () => {
    const log = `${plain('@@ -1 +1,2 @@', ' a', '+b')}\ncommit 0123abc\nAuthor: Ana\n\n    Indented message\n\n`;
    expect(parseFile(log).problems).toEqual([]);
  });

  it('calls text without any file header no diff, and an empty one empty', () => {
    expect(parseUnifiedDiff('- one\n+ two\n').problems).toMatchObject([{ kind: 'not-a-diff' }]);
    expect(parseUnifiedDiff('{"a": 1}').problems).toMatchObject([{ kind: 'not-a-diff' }]);
    for (const empty of ['', '\n', ' \r\n\n']) expect(parseUnifiedDiff(empty)).toEqual({ files: [], problems: [] });
  });

  it('carries added lines only, so that an event stays small', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `-removed ${index}`);
    const parsed = parseUnifiedDiff(plain('@@ -1,2001 +1,2 @@', ...lines, ' kept', '+added'));
    expect(parsedDiff.parse(parsed)).toEqual(parsed);
    expect(JSON.stringify(parsed).length).toBeLessThan(400);
  });
});
