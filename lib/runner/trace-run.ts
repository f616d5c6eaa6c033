import type { RunOutcome, RunRecord } from '../store/run-record.ts';
import { RunTracer } from '../trace/run-tracer.ts';
import { decodeThrown } from '../values/error-codec.ts';
import type { DrivePorts } from './runner-ports.ts';

/** What is told of a run as a whole. */
export type RunNews =
  /** A driver began to work on it. */
  | { readonly kind: 'driven' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'blocked'; readonly error: unknown }
  | { readonly kind: 'ended'; readonly outcome: RunOutcome };

/** Writes the trace record of a run as a whole. */
export function traceRun(ports: Pick<DrivePorts, 'trace' | 'clock'>, run: RunRecord, news: RunNews): void {
  new RunTracer(ports.trace, ports.clock, run).write({
    entityType: 'run',
    entityName: run.agent,
    executionId: run.runId,
    ...statusOf(run, news),
    metadata: { epoch: run.epoch, attempt: run.attempts, outcome: news.kind === 'ended' ? news.outcome : undefined },
    startedAt: run.createdAt,
  });
}

function statusOf(run: RunRecord, news: RunNews) {
  switch (news.kind) {
    case 'driven':
      return { status: 'started' } as const;
    case 'suspended':
      return { status: 'suspended' } as const;
    case 'blocked':
      return { status: 'failed', problemCategory: 'run_blocked', error: news.error } as const;
    case 'ended':
      if (news.outcome === 'COMPLETED') return { status: 'success' } as const;
      return {
        status: 'failed',
        problemCategory: 'run_failed',
        ...(news.outcome === 'FAILED' && run.error !== undefined ? { error: decodeThrown(run.error) } : {}),
      } as const;
  }
}
