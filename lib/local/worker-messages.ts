import * as z from 'zod';

/** An error as the Lambda runtime reports it. */
export const functionErrorSchema = z.object({
  errorType: z.string(),
  errorMessage: z.string(),
  trace: z.array(z.string()),
});

export type FunctionError = z.infer<typeof functionErrorSchema>;

/** What the stack asks a worker process to do. */
export interface InvokeMessage {
  readonly kind: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** Milliseconds since 1970 at which the process is killed. */
  readonly deadlineMillis: number;
}

/** What a worker process answers. `result` is JSON, as Lambda passes it on. */
export const workerAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('init-failed'), error: functionErrorSchema }),
  z.object({ kind: z.literal('succeeded'), requestId: z.string(), result: z.string() }),
  z.object({ kind: z.literal('failed'), requestId: z.string(), error: functionErrorSchema }),
]);

export type WorkerAnswer = z.infer<typeof workerAnswerSchema>;
