import type { TraceRecord } from './trace-record.ts';

/** Takes trace records. Never throws and never fails a run. */
export interface TraceSink {
  write(record: TraceRecord): void;
}
