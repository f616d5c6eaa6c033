import { shortError } from './short-error.ts';

/** What a remote service says of a job. (Flink Agents: `RunStatus`.) */
export type RunStatus =
  | { readonly kind: 'NOT_STARTED' }
  | { readonly kind: 'RUNNING' }
  | { readonly kind: 'COMPLETED' }
  | { readonly kind: 'FAILED'; readonly errorMessage: string };

const KINDS: readonly unknown[] = ['NOT_STARTED', 'RUNNING', 'COMPLETED', 'FAILED'] satisfies RunStatus['kind'][];

export const RunStatus = {
  /** The service does not know the job. */
  notStarted: (): RunStatus => ({ kind: 'NOT_STARTED' }),
  running: (): RunStatus => ({ kind: 'RUNNING' }),
  /** Its result can be fetched. */
  completed: (): RunStatus => ({ kind: 'COMPLETED' }),
  /** It ended without a result. @param error text, or an error of which name and message are kept */
  failed: (error: unknown): RunStatus => ({ kind: 'FAILED', errorMessage: shortError(error) }),
} as const;

/** Whether a probe answered one of the four. */
export function isRunStatus(answer: unknown): answer is RunStatus {
  if (typeof answer !== 'object' || answer === null) return false;
  return KINDS.includes((answer as Partial<RunStatus>).kind);
}
