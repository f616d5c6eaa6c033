import * as z from 'zod';

const traceSchema = z.object({
  record: z.literal('trace'),
  run_id: z.string(),
  entity_type: z.string(),
  entity_name: z.string(),
  status: z.string(),
  duration_ms: z.number().optional(),
  error: z.object({ name: z.string(), message: z.string() }).optional(),
  entity_metadata: z.object({ epoch: z.number().optional() }).optional(),
});

type Trace = z.infer<typeof traceSchema>;

/** What a log line says about a run's progress, for people. `undefined`: it is no trace record of this run. */
export function progressLine(logText: string, runId: string): string | undefined {
  if (!logText.startsWith('{')) return undefined;
  const trace = traceSchema.safeParse(parseJson(logText));
  if (!trace.success || trace.data.run_id !== runId) return undefined;
  const { entity_type, entity_name, duration_ms } = trace.data;
  const duration = duration_ms === undefined ? '' : `, ${duration_ms} ms`;
  return `${entity_type.replaceAll('_', ' ')} ${entity_name} ${verbOf(trace.data)}${duration}${noteOf(trace.data)}`;
}

/** A later driver goes on with what an earlier one suspended or lost. */
function verbOf({ entity_type, status, entity_metadata }: Trace): string {
  const isLaterDriver = entity_type === 'run' && status === 'started' && (entity_metadata?.epoch ?? 1) > 1;
  return isLaterDriver ? 'goes on' : status;
}

function noteOf({ entity_type, status, error }: Trace): string {
  if (error !== undefined) return `: ${error.name}: ${error.message}`;
  if (entity_type === 'run' && status === 'suspended') return ': no compute until something happens';
  if (entity_type === 'subagent' && status === 'started') return ': it is polled until it has ended';
  return '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
