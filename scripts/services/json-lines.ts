import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import type * as z from 'zod';

/** A file with a line of JSON for each entry, so that entries outlive the process. Without a file nothing is kept. */
export class JsonLines<Entry> {
  /** What the file held when it was opened. */
  readonly entries: readonly Entry[];
  readonly #file: string | undefined;

  constructor(file: string | undefined, schema: z.ZodType<Entry>) {
    this.#file = file;
    this.entries = file !== undefined && existsSync(file) ? readEntries(file, schema) : [];
  }

  /** Adds an entry; it is in the file before this returns. */
  append(entry: Entry): void {
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

function readEntries<Entry>(file: string, schema: z.ZodType<Entry>): Entry[] {
  const bytes = readFileSync(file);
  // A process killed while it wrote leaves a line without end; nobody was told of that entry, and the next one needs a line of its own.
  const complete = bytes.lastIndexOf('\n') + 1;
  if (complete < bytes.length) truncateSync(file, complete);
  const lines = bytes.subarray(0, complete).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line) => schema.parse(JSON.parse(line)));
}
