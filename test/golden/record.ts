// Records the golden journals that are not there yet: node test/golden/record.ts
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoldenJournal, GoldenRun, watchWrites } from './deployment.ts';
import { PROGRAMS } from './programs.ts';

const FOLDER = join(import.meta.dirname, 'journals');
const CHECKSUMS = join(import.meta.dirname, 'checksums.json');

const checksums: Record<string, string> = existsSync(CHECKSUMS) ? JSON.parse(readFileSync(CHECKSUMS, 'utf8')) : {};
for (const name of Object.keys(PROGRAMS)) {
  const file = `${name.replaceAll(' ', '-')}.json`;
  if (existsSync(join(FOLDER, file))) continue;
  const run = new GoldenRun(name);
  const watched = watchWrites(run.deployment);
  await run.finish();
  const journal: GoldenJournal = { ...watched, messages: run.messages() };
  const text = `${JSON.stringify(journal, null, 1)}\n`;
  writeFileSync(join(FOLDER, file), text);
  checksums[file] = createHash('sha256').update(text).digest('hex');
  console.log(`${file}: ${journal.writes.length} writes`);
}
const sorted = Object.fromEntries(Object.entries(checksums).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(CHECKSUMS, `${JSON.stringify(sorted, null, 2)}\n`);
process.exit(0);
