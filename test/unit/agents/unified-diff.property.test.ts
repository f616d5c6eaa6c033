import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedLines } from '../../../functions/agents/diff-report/added-lines.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

interface Edit {
  readonly kind: 'keep' | 'add' | 'remove';
  readonly text: string;
}

interface FileChange {
  readonly edits: readonly Edit[];
  readonly contextLines: number;
}

// Texts that look like parts of a diff are the interesting ones.
const text = fc.oneof(
  fc.constantFrom('', '-- a/x', '++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '\\ No newline', ' ', '-', '+', '\r'),
  fc.string({ maxLength: 12 }).map((value) => value.replaceAll('\n', ' ')),
);
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('keep', 'keep', 'keep', 'add', 'remove'),
  text,
});
const change: fc.Arbitrary<FileChange> = fc.record({
  edits: fc.array(edit, { maxLength: 60 }),
  contextLines: fc.integer({ min: 0, max: 3 }),
});

const PREFIX = { keep: ' ', add: '+', remove: '-' } as const;

/** Writes the diff of a change: each edit with its context, hunks that touch as one. */
function writeDiff({ edits, contextLines }: FileChange, path: string): string {
  const shown = edits.map((_, index) =>
    edits.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ kind }) => kind !== 'keep'),
  );
  const hunks: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (let index = 0; index < edits.length; ) {
    const end = shown[index] ? (shown.indexOf(false, index) + edits.length + 1) % (edits.length + 1) : index + 1;
    const part = edits.slice(index, end);
    const oldCount = part.filter(({ kind }) => kind !== 'add').length;
    const newCount = part.filter(({ kind }) => kind !== 'remove').length;
    if (shown[index]) hunks.push(writeHunk(part, range(oldLine, oldCount), range(newLine, newCount)));
    oldLine += oldCount;
    newLine += newCount;
    index = end;
  }
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

function writeHunk(part: readonly Edit[], oldRange: string, newRange: string): string {
  const lines = part.map(({ kind, text: line }) => `${PREFIX[kind]}${line}\n`);
  return `@@ -${oldRange} +${newRange} @@ section\n${lines.join('')}`;
}

// As diff writes it: a count of 1 is left out, an empty side names the line before.
function range(start: number, count: number): string {
  if (count === 1) return `${start}`;
  return count === 0 ? `${start - 1},0` : `${start},${count}`;
}

function expectedLines({ edits }: FileChange): { line: number; text: string }[] {
  const newFile = edits.filter(({ kind }) => kind !== 'remove');
  return newFile.flatMap(({ kind, text: line }, index) => (kind === 'add' ? [{ line: index + 1, text: line }] : []));
}

describe('parseUnifiedDiff, on generated diffs', () => {
  it('finds the counts and the added lines that a diff was made with', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const { files, problems } = parseUnifiedDiff(changes.map((one, index) => writeDiff(one, `f${index}`)).join(''));
        expect(problems).toEqual([]);
        expect(files.flatMap((file) => file.problems)).toEqual([]);
        expect(files.map(({ path, added, removed }) => ({ path, added, removed }))).toEqual(
          changes.map(({ edits }, index) => ({
            path: `f${index}`,
            added: edits.filter(({ kind }) => kind === 'add').length,
            removed: edits.filter(({ kind }) => kind === 'remove').length,
          })),
        );
        const found = files.map((file) =>
          [...addedLines(file)].map(({ line, text: added, ending }) => ({
            line,
            text: ending === 'crlf' ? `${added}\r` : added,
          })),
        );
        expect(found).toEqual(changes.map(expectedLines));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the input', () => {
    const fragment = fc.constantFrom(
      'diff --git a/x b/y\n',
      '--- a/x\n',
      '+++ b/x\n',
      '@@ -1,2 +1 @@\n',
      '@@@ -1 -1 +1 @@@\n',
      '\\ x\n',
      '+a\n',
      '-b\n',
      ' c\n',
      '\r\n',
      'rename from "q\n',
      'GIT binary patch\n',
      'Binary files a and b differ\n',
      'old mode 1\n',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fragment, fc.string()), { maxLength: 40 }), (parts) => {
        const { files } = parseUnifiedDiff(parts.join(''));
        for (const file of files) expect([...addedLines(file)]).toHaveLength(file.added);
      }),
      { numRuns: 500 },
    );
  });
});
