import type { TraceRecord } from '../ports/trace-record.ts';
import type { TraceSink } from '../ports/trace-sink.ts';

/** Writes each trace record as one line of JSON, past the console, which Lambda would wrap into a log record of its own. */
export class StdoutTraceSink implements TraceSink {
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void = (line) => void process.stdout.write(line)) {
    this.#write = write;
  }

  write(record: TraceRecord): void {
    try {
      this.#write(`${JSON.stringify(record)}\n`);
    } catch (error) {
      // A trace is not worth a run.
      console.error('A trace record could not be written.', error);
    }
  }
}
