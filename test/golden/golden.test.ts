import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GoldenJournal, GoldenRun, type GoldenWrite } from './deployment.ts';
import { PROGRAMS } from './programs.ts';

const FOLDER = join(import.meta.dirname, 'journals');
const checksums: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'checksums.json'), 'utf8'),
);
const fileOf = (name: string): string => `${name.replaceAll(' ', '-')}.json`;
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** Ids of the calls whose outcome is recorded: they must not be made again. */
function settledCalls(writes: readonly GoldenWrite[]): readonly string[] {
  const settled = writes.flatMap(({ key: [, sk], item }) =>
    sk.startsWith('CALL#') && item && item.st !== 'PENDING' ? [item] : [],
  );
  return settled.map(({ sl }) => decodeURIComponent(String(sl).split('#')[0] ?? ''));
}

/** Runs that had come to their end: they send nothing any more. */
const endedRuns = (writes: readonly GoldenWrite[]): ReadonlySet<string> =>
  new Set(
    writes.flatMap(({ key: [, sk], item }) =>
      sk === 'RUN' && item && ['COMPLETED', 'FAILED'].includes(String(item.st)) ? [String(item.id)] : [],
    ),
  );

describe('a run that was begun under an earlier version', () => {
  it.each(Object.keys(PROGRAMS))('ends as it would have, wherever it was cut: %s', async (name) => {
    const { writes, payloads, messages } = JSON.parse(textOf(fileOf(name))) as GoldenJournal;
    expect(writes.length).toBeGreaterThan(3);
    for (let cut = 0; cut <= writes.length; cut += 1) {
      const prefix = writes.slice(0, cut);
      const run = new GoldenRun(name);
      await run.restore(prefix, payloads);
      await run.finish();
      const ended = endedRuns(prefix);
      const expected = Object.entries(messages).filter(([runId]) => !ended.has(runId));
      const got = Object.entries(run.messages()).filter(([runId]) => !ended.has(runId));
      expect(got, `cut after ${cut} of ${writes.length} writes`).toEqual(expected);
      const settled = settledCalls(prefix);
      expect(
        run.effects.filter((id) => id !== '' && settled.includes(id)),
        `cut after ${cut}`,
      ).toEqual([]);
      expect(
        [...run.services.values()].flatMap((service) => service.violations()),
        `cut after ${cut}`,
      ).toEqual([]);
    }
  });
});

describe('the golden journals', () => {
  it('are those that were recorded: add new ones, and change none', () => {
    const found = readdirSync(FOLDER).sort();
    const digests = found.map((file) => [file, createHash('sha256').update(textOf(file)).digest('hex')]);
    expect(Object.fromEntries(digests)).toEqual(checksums);
    expect(found).toEqual(Object.keys(PROGRAMS).map(fileOf).sort());
  });
});
