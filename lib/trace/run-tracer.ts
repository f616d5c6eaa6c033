import type { Clock } from '../ports/clock.ts';
import type { TraceEntityType, TraceRecord, TraceStatus } from '../ports/trace-record.ts';
import type { TraceSink } from '../ports/trace-sink.ts';
import { describeThrown } from '../values/error-codec.ts';
import { truncate } from './truncate.ts';

export interface TraceEntry {
  readonly entityType: TraceEntityType;
  readonly entityName: string;
  readonly executionId: string;
  readonly parentExecutionId?: string;
  readonly status: TraceStatus;
  readonly problemCategory?: NonNullable<TraceRecord['problem_category']>;
  readonly metadata?: Readonly<Record<string, string | number | undefined>>;
  readonly startedAt?: number;
  readonly error?: unknown;
  readonly attributes?: unknown;
}

/** Writes the trace records of one run. Tracing never fails a run. */
export class RunTracer {
  private readonly sink: TraceSink;
  private readonly clock: Clock;
  private readonly run: { readonly runId: string; readonly agent: string; readonly key?: string };

  constructor(
    sink: TraceSink,
    clock: Clock,
    run: { readonly runId: string; readonly agent: string; readonly key?: string },
  ) {
    this.sink = sink;
    this.clock = clock;
    this.run = run;
  }

  write(entry: TraceEntry): void {
    try {
      this.sink.write(this.recordOf(entry));
    } catch {
      // A trace is not worth a run.
    }
  }

  private recordOf(entry: TraceEntry): TraceRecord {
    const now = this.clock.now();
    const metadata = Object.entries(entry.metadata ?? {}).filter(
      (pair): pair is [string, string | number] => pair[1] !== undefined,
    );
    return {
      record: 'trace',
      timestamp: new Date(now).toISOString(),
      run_id: this.run.runId,
      agent_name: this.run.agent,
      ...(this.run.key === undefined ? {} : { business_key: this.run.key }),
      entity_type: entry.entityType,
      entity_name: entry.entityName,
      execution_id: entry.executionId,
      ...(entry.parentExecutionId === undefined ? {} : { parent_execution_id: entry.parentExecutionId }),
      status: entry.status,
      ...(entry.problemCategory === undefined ? {} : { problem_category: entry.problemCategory }),
      entity_metadata: Object.fromEntries(metadata),
      ...(entry.startedAt === undefined ? {} : { duration_ms: now - entry.startedAt }),
      ...('error' in entry ? { error: describeThrown(entry.error) } : {}),
      ...(entry.attributes === undefined ? {} : { attributes: truncate(entry.attributes) }),
    };
  }
}
