import type { PollEntry } from '../store/poll-records.ts';
import type { RunTracer } from '../trace/run-tracer.ts';
import { callOfEntry } from './call-of-entry.ts';
import { HOOK_MILLIS } from './hook-limits.ts';
import type { PolledRun } from './poll-ports.ts';
import { setupOf } from './setup-of.ts';
import { within } from './within.ts';

/** Asks the remote of an open call to stop. A failure is told in the trace and changes nothing. */
export async function cancelJob(run: PolledRun, entry: PollEntry, tracer: RunTracer): Promise<void> {
  try {
    const call = await callOfEntry(run, entry);
    await within(run.ports.clock, HOOK_MILLIS, 'callCancelRequest', () => setupOf(run, entry).callCancelRequest(call));
  } catch (error) {
    tracer.write({
      entityType: 'subagent',
      entityName: entry.subagent,
      executionId: `${entry.actionId}#${entry.slot}`,
      parentExecutionId: entry.actionId,
      status: 'failed',
      problemCategory: 'subagent_cancel_failed',
      error,
    });
  }
}
