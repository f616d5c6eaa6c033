import * as z from 'zod';

const traceSchema = z.object({
  record: z.literal('trace'),
  run_id: z.string(),
  entity_type: z.string(),
  entity_name: z.string(),
  status: z.string(),
  duration_ms: z.number().optional(),
  error: z.object({ name: z.string(), message: z.string() }).optional(),
});

/** What a log line says about a run's progress, for people. `undefined`: it is no trace record of this run. */
export function progressLine(logText: string, runId: string): string | undefined {
  if (!logText.startsWith('{')) return undefined;
  const trace = traceSchema.safeParse(parseJson(logText));
  if (!trace.success || trace.data.run_id !== runId) return undefined;
  const { entity_type, entity_name, status, duration_ms, error } = trace.data;
  const duration = duration_ms === undefined ? '' : `, ${duration_ms} ms`;
  const problem = error === undefined ? '' : `: ${error.name}: ${error.message}`;
  if (status === 'suspended') return `${entity_type} ${entity_name} suspended: nothing runs until something happens`;
  return `${entity_type.replaceAll('_', ' ')} ${entity_name} ${status}${duration}${problem}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
