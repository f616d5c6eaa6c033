import { describe, expect, it } from 'vitest';
import { createReport } from '../../../functions/agents/diff-report/report.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

const MEGABYTE = 1024 * 1024;
// Linear work takes some tens of milliseconds; quadratic work on a megabyte would take minutes.
const LIMIT_MILLIS = 5_000;

const reportOf = (diff: string) => {
  const start = performance.now();
  const made = createReport(parseUnifiedDiff(diff));
  expect(performance.now() - start).toBeLessThan(LIMIT_MILLIS);
  return made;
};
const repeat = (text: string) => text.repeat(Math.ceil(MEGABYTE / text.length));
const oneLine = (path: string, text: string) => `--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;

describe('a report of a long input takes time linear in its length', () => {
  it.each([
    'x',
    ' ',
    ' \t',
    'eyJ',
    'eyJ-',
    'eyJa.eyJa.',
    'sk-',
    'sk-a ',
    '//a:',
    'a://a:a',
    'password',
    'password=',
    'password = "',
    'token: ',
    '-----BEGIN A ',
    'it.a',
    'it.only',
    'print ',
    '<<<<<<<',
    '.env/',
  ])('with one line of a megabyte made of %j', (part) => {
    for (const path of ['a.test.ts', 'a.py', '.env']) {
      expect(reportOf(oneLine(path, `${repeat(part)}x`)).files).toMatchObject([{ path, added: 1, removed: 0 }]);
    }
  });

  it('with a secret at the end of a line of a megabyte', () => {
    const line = `${repeat('var a=1;')}key="AKIAIOSFODNN7EXAMPLE"`;
    expect(reportOf(oneLine('bundle.js', line)).findings).toMatchObject([{ kind: 'secret', line: 1 }]);
  });

  it('with a hundred thousand lines', () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `+line ${index}\n`).join('');
    const made = reportOf(`--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,100000 @@\n${lines}`);
    expect(made.files).toMatchObject([{ added: 100_000 }]);
  });

  it.each([
    '@@ -1 +1 @@\n',
    '--- a\n+++ b\n',
    'diff --git a/a b/a\n',
    'Binary files  and  and  differ\n',
    '"\\303',
    '@@ -1,999999999 +1 @@\n',
  ])('with a megabyte of headers: %j', (part) => {
    expect(reportOf(repeat(part)).summary).toMatch(/changed|not a unified diff/);
  });

  it.each(['"', '\\303', ' and ', 'a/', ' '])('with a header line of a megabyte made of %j', (part) => {
    for (const start of ['diff --git ', 'diff --git "', 'Binary files ', '--- ', 'rename from ']) {
      reportOf(`${start}${repeat(part)}\n`);
      reportOf(`--- ${repeat(part)}\n+++ ${repeat(part)}\n@@ -1 +1 @@\n-a\n+b\n`);
    }
  });
});
