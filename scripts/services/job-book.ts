import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const storedJob = z.object({ id: z.string(), key: z.string(), diff: z.string(), submittedAt: z.number() });
const line = z.union([storedJob, z.strictObject({ cancelled: z.string() })]);

/** A job as it is kept. */
export type StoredJob = z.infer<typeof storedJob>;

/** Keeps jobs in memory and, given a file, as lines of JSON, so that they outlive the process. */
export class JobBook {
  readonly #jobs: StoredJob[] = [];
  readonly #cancelled = new Set<string>();
  readonly #file: string | undefined;

  constructor(file?: string) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    // A process killed while it wrote leaves a line without end; nobody was told of it.
    for (const text of readFileSync(file, 'utf8').split('\n').slice(0, -1)) this.#take(line.parse(JSON.parse(text)));
  }

  all(): readonly StoredJob[] {
    return [...this.#jobs];
  }

  find(id: string): StoredJob | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  findByKey(key: string): StoredJob | undefined {
    return this.#jobs.find((job) => job.key === key);
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

  #write(entry: z.infer<typeof line>): void {
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
    this.#take(entry);
  }

  #take(entry: z.infer<typeof line>): void {
    if ('cancelled' in entry) this.#cancelled.add(entry.cancelled);
    else this.#jobs.push(entry);
  }
}
