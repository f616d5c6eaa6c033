import * as z from 'zod';
import { TerminalAgentError } from '../errors/public-errors.ts';
import { shortError } from './short-error.ts';

interface Parses {
  /** The result as a schema gives it. @throws TerminalAgentError `SUBAGENT_FAILED` for a failed answer, or a result that does not fit */
  getResult<Schema extends z.ZodType>(schema: Schema): z.output<Schema>;
}

/** The answer of a sub-agent. A failed answer is a value too: nothing is thrown. (Flink Agents: `SubagentResult`.) */
export type SubagentResult<Result = unknown> =
  | (Parses & { readonly success: true; readonly result: Result; readonly errorMessage?: undefined })
  | (Parses & { readonly success: false; readonly result?: undefined; readonly errorMessage: string });

class Answer {
  readonly success: boolean;
  readonly result?: unknown;
  readonly errorMessage?: string;

  constructor(answer: { readonly result: unknown } | { readonly errorMessage: string }) {
    this.success = 'result' in answer;
    if ('result' in answer) this.result = answer.result;
    else this.errorMessage = answer.errorMessage;
  }

  getResult(schema: z.ZodType): unknown {
    if (!this.success) {
      throw new TerminalAgentError(
        'SUBAGENT_FAILED',
        `The sub-agent failed: ${this.errorMessage} Look at "success" before the result where a failure is to be handled.`,
      );
    }
    const parsed = schema.safeParse(this.result);
    if (parsed.success) return parsed.data;
    throw new TerminalAgentError(
      'SUBAGENT_FAILED',
      `The result of the sub-agent does not fit the schema given to getResult: ${z.prettifyError(parsed.error)}`,
    );
  }
}

export const SubagentResult = {
  ok: <Result>(result: Result): SubagentResult<Result> => new Answer({ result }) as SubagentResult<Result>,
  /** @param error text, or an error of which name and message are kept */
  error: (error: unknown): SubagentResult<never> =>
    new Answer({ errorMessage: shortError(error) }) as SubagentResult<never>,
} as const;

/** Whether a hook gave an answer. */
export const isSubagentResult = (answer: unknown): answer is SubagentResult => answer instanceof Answer;

/** Stored form: plain data. */
export const toPlainResult = ({ success, result, errorMessage }: SubagentResult): unknown =>
  success ? { success, result } : { success, errorMessage };

export function fromPlainResult(stored: unknown): SubagentResult {
  const { success, result, errorMessage } = stored as { success: boolean; result?: unknown; errorMessage?: string };
  return success ? SubagentResult.ok(result) : SubagentResult.error(errorMessage ?? '');
}
