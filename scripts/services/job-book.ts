import * as z from 'zod';
import { JsonLines } from './json-lines.ts';

const storedJob = z.object({ id: z.string(), key: z.string(), diff: z.string(), submittedAt: z.number() });
const entry = z.union([
  storedJob,
  z.strictObject({ cancelled: z.string() }),
  z.strictObject({ forgotten: z.string() }),
]);

/** A job as it is kept. */
export type StoredJob = z.infer<typeof storedJob>;
type Entry = z.infer<typeof entry>;

/** Keeps jobs in memory and, given a file, as lines of JSON, so that they outlive the process. */
export class JobBook {
  readonly #jobs: StoredJob[] = [];
  readonly #cancelled = new Set<string>();
  readonly #forgotten = new Set<string>();
  readonly #lines: JsonLines<Entry>;

  constructor(file?: string) {
    this.#lines = new JsonLines(file, entry);
    for (const line of this.#lines.entries) this.#take(line);
  }

  /** Every job that was ever taken, those that are forgotten too. */
  all(): readonly StoredJob[] {
    return [...this.#jobs];
  }

  /** The jobs that are known. */
  known(): readonly StoredJob[] {
    return this.#jobs.filter(({ id }) => !this.#forgotten.has(id));
  }

  find(id: string): StoredJob | undefined {
    return this.known().find((job) => job.id === id);
  }

  findByKey(key: string): StoredJob | undefined {
    return this.known().find((job) => job.key === key);
  }

  isCancelled(id: string): boolean {
    return this.#cancelled.has(id);
  }

  /** Adds a job; it is in the file before this returns. */
  add(job: Omit<StoredJob, 'id'>): StoredJob {
    const stored = { id: `J-${this.#jobs.length + 1}`, ...job };
    this.#write(stored);
    return stored;
  }

  cancel(id: string): void {
    if (!this.#cancelled.has(id)) this.#write({ cancelled: id });
  }

  forget(id: string): void {
    this.#write({ forgotten: id });
  }

  #write(line: Entry): void {
    this.#lines.append(line);
    this.#take(line);
  }

  #take(line: Entry): void {
    if ('cancelled' in line) this.#cancelled.add(line.cancelled);
    else if ('forgotten' in line) this.#forgotten.add(line.forgotten);
    else this.#jobs.push(line);
  }
}
