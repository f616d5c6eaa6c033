import type { LocalStack } from '../../../lib/local/local-stack.ts';
import { parseTraceLine } from './trace-lines.ts';

/** The beginning of a drive. */
export interface SeenDrive {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Reads in the log of run-agent who drives what. */
export class DriveWatch {
  /** All drives so far. */
  readonly drives: SeenDrive[] = [];
  /** What each process drives now. */
  readonly #driven = new Map<number, string>();

  constructor(stack: LocalStack) {
    stack.onLog((line) => {
      const record = parseTraceLine(line);
      if (record?.entity_type !== 'run') return;
      if (record.status !== 'started') return void this.#driven.delete(line.pid);
      this.#driven.set(line.pid, record.run_id);
      this.drives.push({ runId: record.run_id, at: Date.parse(record.timestamp) });
    });
  }

  drivenBy(pid: number): string | undefined {
    return this.#driven.get(pid);
  }
}
