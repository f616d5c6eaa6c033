// Records what programs write, once: node test/golden/record.ts 'name of a program' …
import { writeJournal } from './golden-journal.ts';
import { GoldenRun } from './golden-run.ts';
import { PROGRAMS } from './programs.ts';
import { watchWrites } from './watch-writes.ts';

const names = process.argv.slice(2);
if (names.length === 0) throw new Error(`Name the programs to record: ${Object.keys(PROGRAMS).join(', ')}.`);
for (const name of names) {
  const run = new GoldenRun(name);
  const { writes, payloads } = watchWrites(run.deployment);
  await run.finish();
  writeJournal(name, { writes, payloads, jobs: run.jobs, messages: run.messages() });
  console.log(`${name}: ${writes.length} writes`);
}
