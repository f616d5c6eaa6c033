import type { TraceRecord } from '../trace/trace-record.ts';

/** Takes trace records. Never throws and never fails a run. */
export interface TraceSink {
  write(record: TraceRecord): void;
}
