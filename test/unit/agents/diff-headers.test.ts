import { describe, expect, it } from 'vitest';
import { decodePath, splitGitNames, withoutPrefixes } from '../../../functions/agents/diff-report/diff-path.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

const headerOf = (...lines: string[]) =>
  parseUnifiedDiff(lines.join('\n')).files.map(({ path, oldPath, status, binary, mode }) => ({
    path,
    status,
    ...(oldPath !== undefined && { oldPath }),
    ...(binary && { binary }),
    ...(mode && { mode }),
  }));

describe('paths of a diff', () => {
  it.each([
    ['plain', 'src/a.ts', 'src/a.ts', ''],
    ['with spaces and git’s tab', 'a/read me.txt\t', 'a/read me.txt', ''],
    ['with a time stamp', 'a.txt\t2026-01-15 09:30:00 +0000', 'a.txt', '2026-01-15 09:30:00 +0000'],
    ['with octal escapes', '"a/\\303\\274\\360\\237\\230\\200.md"', 'a/ü😀.md', ''],
    ['with the short escapes', '"a\\t\\n\\"\\\\\\a\\001"', 'a\t\n"\\\x07\x01', ''],
    ['quoted, raw letters kept', '"ü\\tb"\trest', 'ü\tb', 'rest'],
    ['with a quote that never closes', '"a', '"a', ''],
  ])('are decoded: %s', (_, raw, path, comment) => {
    expect(decodePath(raw)).toEqual({ path, comment });
  });

  it.each([
    ['a/x.ts b/x.ts', 'x.ts'],
    ['a/a b b b/a b b', 'a b b'],
    ['x.ts x.ts', 'x.ts'],
    ['a/x a/x', 'a/x'],
    ['"a/\\303\\274" "b/\\303\\274"', 'ü'],
    ['old/x new/x', 'x'],
    ['before/x after/x', undefined],
    ['a/x b/y', undefined],
  ])('are split where both sides name one file: %s', (names, path) => {
    expect(splitGitNames(names)?.new).toBe(path);
  });

  it.each([
    [
      { old: 'old/x', new: 'new/x' },
      { old: 'x', new: 'x' },
    ],
    [
      { old: 'a/x', new: 'b/y' },
      { old: 'x', new: 'y' },
    ],
    [
      { old: '/dev/null', new: 'b/y' },
      { old: '/dev/null', new: 'y' },
    ],
    [
      { old: 'x.orig', new: 'x' },
      { old: 'x.orig', new: 'x' },
    ],
    [
      { old: 'src/x.orig', new: 'src/x' },
      { old: 'src/x.orig', new: 'src/x' },
    ],
    [
      { old: '/tmp/x', new: '/tmp/y' },
      { old: '/tmp/x', new: '/tmp/y' },
    ],
  ])('lose the folder that only tells the sides apart: %o', (pair, expected) => {
    expect(withoutPrefixes(pair)).toEqual(expected);
  });
});

describe('headers of a diff', () => {
  it('tells a rename by its own lines, which have no prefix', () => {
    expect(
      headerOf('diff --git a/a b.ts b/b a.ts', 'similarity index 98%', 'rename from a b.ts', 'rename to b a.ts'),
    ).toEqual([{ path: 'b a.ts', oldPath: 'a b.ts', status: 'renamed' }]);
  });

  it('keeps a mode change beside a rename', () => {
    expect(
      headerOf('diff --git a/a b/b', 'old mode 100644', 'new mode 100755', 'rename from a', 'rename to b'),
    ).toEqual([{ path: 'b', oldPath: 'a', status: 'renamed', mode: { from: '100644', to: '100755' } }]);
  });

  it('calls a file modified, not of changed mode, when its lines change too', () => {
    const mode = { from: '100644', to: '100755' };
    const lines = ['diff --git a/a b/a', 'old mode 100644', 'new mode 100755', 'index 1..2', '--- a/a', '+++ b/a'];
    expect(headerOf(...lines, '@@ -1 +1 @@', '-a', '+b')).toEqual([{ path: 'a', status: 'modified', mode }]);
  });

  it('reads custom prefixes of different length from the file lines', () => {
    expect(
      headerOf(
        'diff --git before/src/a.ts after/src/a.ts',
        '--- before/src/a.ts',
        '+++ after/src/a.ts',
        '@@ -0,0 +1 @@',
        '+a',
      ),
    ).toEqual([{ path: 'src/a.ts', status: 'modified' }]);
  });

  it('does not take a file that follows a binary patch for base 85', () => {
    expect(
      headerOf(
        'diff --git a/a.bin b/a.bin',
        'index 1..2 100644',
        'GIT binary patch',
        'delta 9',
        'Qcmd;L$H2hI00000',
        '',
        'literal 0',
        'HcmV?d00001',
        '',
        'diff --git a/b.bin b/b.bin',
        'deleted file mode 100644',
        'Binary files a/b.bin and /dev/null differ',
      ),
    ).toEqual([
      { path: 'a.bin', status: 'modified', binary: true },
      { path: 'b.bin', status: 'deleted', binary: true },
    ]);
  });

  it('reads /dev/null and the absent file of subversion as added and deleted', () => {
    expect(
      headerOf(
        '--- /dev/null',
        '+++ b/new.txt',
        '@@ -0,0 +1 @@',
        '+a',
        '--- a/old.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-a',
      ),
    ).toEqual([
      { path: 'new.txt', status: 'added' },
      { path: 'old.txt', status: 'deleted' },
    ]);
    expect(
      headerOf('Index: a.txt', '--- a.txt\t(nonexistent)', '+++ a.txt\t(working copy)', '@@ -0,0 +1 @@', '+a'),
    ).toEqual([{ path: 'a.txt', status: 'added' }]);
  });

  it('finds the names in a "Binary files" line with spaces and with the word "and"', () => {
    expect(headerOf('Binary files old/salt and pepper.bin and new/salt and pepper.bin differ')).toEqual([
      { path: 'salt and pepper.bin', status: 'modified', binary: true },
    ]);
    expect(headerOf('Binary files one.bin and two.bin differ')).toEqual([
      { path: 'two.bin', status: 'modified', binary: true },
    ]);
  });

  it('takes horizontal rules and lists of a text for no header', () => {
    expect(headerOf('--- a heading ---', '+++ another', 'text')).toEqual([]);
  });
});
