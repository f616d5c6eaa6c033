import * as z from 'zod';
import type { LocalStack } from '../../../lib/local/local-stack.ts';

const traceLine = z.looseObject({
  record: z.literal('trace'),
  timestamp: z.string(),
  run_id: z.string(),
  agent_name: z.string(),
  business_key: z.string().optional(),
  entity_type: z.string(),
  entity_name: z.string(),
  execution_id: z.string(),
  parent_execution_id: z.string().optional(),
  status: z.string(),
  entity_metadata: z.record(z.string(), z.union([z.string(), z.number()])),
});

export type TraceLine = z.infer<typeof traceLine> & { readonly pid: number };

/** The trace records in the log of run-agent, in the order in which they were written. */
export function traceOf(stack: LocalStack, runId?: string): readonly TraceLine[] {
  const lines = stack.logTail(Infinity, 'run-agent').filter(({ text }) => text.includes('"record":"trace"'));
  const records = lines.map(({ text, pid }) => ({ ...traceLine.parse(JSON.parse(text)), pid }));
  return records.filter(({ run_id }) => runId === undefined || run_id === runId);
}
