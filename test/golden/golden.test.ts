import { describe, expect, it } from 'vitest';
import {
  digestOfFile,
  fileOf,
  type GoldenJournal,
  journalFiles,
  readChecksums,
  readJournal,
} from './golden-journal.ts';
import { GoldenRun, type WakesAtCut } from './golden-run.ts';
import { endsOf, outcomesById, takenJobs } from './prefix.ts';
import { PROGRAMS } from './programs.ts';

const CASES = Object.keys(PROGRAMS).flatMap((name) =>
  (['lost', 'under way'] as const).map((wakes) => [name, wakes] as const),
);

/** What a receiver got after the last end that a run had come to: of an ended one nothing. */
function messagesAfter(messages: readonly unknown[], ends: number): readonly unknown[] {
  const places = messages.flatMap((message, place) => (Object.hasOwn(message as object, 'status') ? [place] : []));
  return messages.slice(ends === 0 ? 0 : (places[ends - 1] ?? 0) + 1);
}

/** Calls whose bodies ran more often than outcomes were missing. */
function repeatedCalls(
  effects: readonly string[],
  all: ReadonlyMap<string, number>,
  recorded: ReadonlyMap<string, number>,
): readonly string[] {
  const ran = (id: string): number => effects.filter((effect) => effect === id).length;
  return [...new Set(effects)].filter((id) => ran(id) > (all.get(id) ?? 0) - (recorded.get(id) ?? 0));
}

async function checkCut(name: string, journal: GoldenJournal, length: number, wakes: WakesAtCut): Promise<void> {
  const prefix = journal.writes.slice(0, length);
  const run = new GoldenRun(name);
  await run.restore(journal, length, wakes);
  await run.finish();
  const said = `cut after ${length} of ${journal.writes.length} writes`;
  const missing = Object.entries(journal.messages).map(([runId, messages]) => [
    runId,
    messagesAfter(messages, endsOf(prefix, runId)),
  ]);
  expect(run.messages(), said).toEqual(Object.fromEntries(missing));
  expect(repeatedCalls(run.effects, outcomesById(journal.writes), outcomesById(prefix)), said).toEqual([]);
  const taken = new Set(takenJobs(prefix).map(({ key }) => key));
  const unsent = takenJobs(journal.writes).flatMap(({ key }) => (taken.has(key) ? [] : [key]));
  expect([...run.sentJobs].sort(), said).toEqual(unsent.sort());
  expect(run.deployment.deadLetters.sent, said).toEqual([]);
}

describe('a run that was begun under an earlier version', () => {
  it.each(CASES)('ends as it would have, wherever it was cut: %s, its wakes %s', async (name, wakes) => {
    const journal = readJournal(name);
    const { length: all } = journal.writes;
    expect(all).toBeGreaterThan(3);
    for (let length = 0; length <= all; length += 1) await checkCut(name, journal, length, wakes);
  });
});

describe('the golden journals', () => {
  const checksums = readChecksums();

  it.each(Object.keys(checksums))('are never changed: %s', (file) => {
    expect(
      digestOfFile(file),
      `${file} was changed or removed. Runs of that form may still be open: restore it, and record a new program beside it.`,
    ).toBe(checksums[file]);
  });

  it('are all listed with their checksums, and each has its program', () => {
    const listed = Object.keys(checksums);
    expect(journalFiles(), 'Record journals with test/golden/record.ts, which lists them in checksums.json.').toEqual(
      [...listed].sort(),
    );
    expect(
      Object.keys(PROGRAMS).map(fileOf).sort(),
      'Each program has a journal, and no program is ever removed.',
    ).toEqual([...listed].sort());
  });
});
