import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** One line that a function wrote, or that the stack wrote about an invocation of it. */
export interface LogLine {
  readonly functionName: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pid: number;
  readonly text: string;
}

export type LogListener = (line: LogLine) => void;

// Enough to explain a failure; the file has everything.
const LINES_KEPT = 2_000;

/** The logs of all functions, as CloudWatch would have them: the last lines in memory, all lines in a file per function. */
export class FunctionLog {
  readonly #directory: string | undefined;
  readonly #lines: LogLine[] = [];
  readonly #files = new Map<string, WriteStream>();
  readonly #listeners = new Set<LogListener>();

  /** @param directory where `<function>.log` files go; emptied first, so that nothing of an earlier stack is taken for this one's */
  constructor(directory: string | undefined) {
    this.#directory = directory;
    if (directory === undefined) return;
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  append(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES_KEPT) this.#lines.shift();
    this.#file(line.functionName)?.write(`${line.text}\n`);
    for (const listener of this.#listeners) listener(line);
  }

  /** The last lines, of one function or of all, oldest first. */
  tail(count: number, functionName?: string): readonly LogLine[] {
    return this.#lines.filter((line) => functionName === undefined || line.functionName === functionName).slice(-count);
  }

  /** Calls back for each line from now on; the returned function ends that. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    await Promise.all(files.map((file) => new Promise<void>((done) => file.end(done))));
  }

  #file(functionName: string): WriteStream | undefined {
    if (this.#directory === undefined) return undefined;
    const open = this.#files.get(functionName);
    if (open !== undefined) return open;
    const file = createWriteStream(join(this.#directory, `${functionName}.log`));
    this.#files.set(functionName, file);
    return file;
  }
}
