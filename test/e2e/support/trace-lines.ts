import * as z from 'zod';
import type { LogLine } from '../../../lib/local/function-log.ts';

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

/** The trace record of a line. `undefined`: it is none. */
export function parseTraceLine({ text, pid }: LogLine): TraceLine | undefined {
  return text.includes('"record":"trace"') ? { ...traceLine.parse(JSON.parse(text)), pid } : undefined;
}

/** The trace records of a log, of one run or of all, in the order in which they were written. */
export function traceOf(log: readonly LogLine[], runId?: string): readonly TraceLine[] {
  return log.flatMap((line) => {
    const record = runId === undefined || line.text.includes(JSON.stringify(runId)) ? parseTraceLine(line) : undefined;
    return record === undefined || (runId !== undefined && record.run_id !== runId) ? [] : [record];
  });
}
