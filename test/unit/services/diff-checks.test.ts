import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runChecks } from '../../../scripts/services/diff-checks.ts';

const newFile = (path: string, ...lines: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    'new file mode 100644',
    '--- /dev/null',
    `+++ b/${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');

describe('the checks of a test run', () => {
  it('all pass for a change that is in order', () => {
    const diff =
      newFile('src/a.ts', 'export const a: number = 1;') + newFile('test/a.test.ts', 'import "../src/a.ts";');
    expect(runChecks(diff)).toEqual({ passed: 6, failed: 0, text: '6 checks passed, 0 failed' });
  });

  it.each([
    ['no diff at all', 'hello', /- the diff can be read: No file header/],
    ['a conflict', newFile('a.md', '<<<<<<< ours'), /- no conflict is left: a\.md:1: a conflict marker/],
    ['JSON that is none', newFile('a.json', '{ "a": 1, }'), /- new JSON files are JSON: a\.json: /],
    [
      'code that does not compile',
      newFile('test/a.ts', 'const = 1;'),
      /- new code files compile: test\/a\.ts: line 1: .*found "="/,
    ],
    [
      'a long line',
      newFile('a.md', 'x'.repeat(201)),
      /- no line is longer than 200 characters: a\.md:1: 201 characters/,
    ],
    ['code without tests', newFile('src/a.ts', 'export {};'), /- code comes with tests: src\/a\.ts has none/],
  ])('one fails for %s', (_what, diff, message) => {
    const report = runChecks(diff);
    expect(report).toMatchObject({ passed: 5, failed: 1 });
    expect(report.text).toMatch(/^5 checks passed, 1 failed:\n/);
    expect(report.text).toMatch(message);
  });

  it.each(['a.js', 'a.jsx', 'a.mjs', 'a.tsx', 'a.test.ts', 'a.cts'])('compile %s as what it is', (name) => {
    const types = 'export const a: number = 1;';
    const isTyped = /tsx?$|cts$/.test(name);
    expect(runChecks(newFile(`test/${name}`, types)).failed).toBe(isTyped ? 0 : 1);
    const markup = 'export const a = <b>text</b>;';
    expect(runChecks(newFile(`test/${name}`, markup)).failed).toBe(/ts$/.test(name) ? 1 : 0);
  });

  it('shows three problems of a check and counts the others', () => {
    const { text } = runChecks(newFile('a.md', ...Array.from({ length: 5 }, () => '>>>>>>> theirs')));
    expect(text).toMatch(/a\.md:3: a conflict marker and 2 more$/);
  });

  it('find three things in the sample', () => {
    const sample = readFileSync(
      resolve(import.meta.dirname, '../../../functions/agents/code-review/sample.diff'),
      'utf8',
    );
    const { passed, text } = runChecks(sample);
    expect(passed).toBe(3);
    expect(
      text
        .split('\n- ')
        .slice(1)
        .map((line) => line.split(':')[0]),
    ).toEqual(['new JSON files are JSON', 'new code files compile', 'code comes with tests']);
  });
});
