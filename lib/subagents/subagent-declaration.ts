import type * as z from 'zod';
import type { SubagentFuture } from './subagent-future.ts';
import type { SetupClass } from './subagent-setup.ts';

/** What stands beside the class where a sub-agent is registered, besides its own configuration. */
export interface SubagentOptions<InputSchema extends z.ZodType | string = z.ZodType | string> {
  /** What it does, for a model that may call it. */
  readonly description?: string;
  /** What a prompt must look like, as zod or as JSON Schema text: for a model, and for the type of `submit`. Prompts are not checked against it. */
  readonly inputSchema?: InputSchema;
  /** Async: time between two probes of a job in milliseconds, 100 to 86,400,000. @default 500 */
  readonly statusPollIntervalMillis?: number;
  /** Async: longest time from `submit` to the answer in whole milliseconds, up to 365 days; then the answer is an error. @default as long as the run may live */
  readonly timeoutMillis?: number;
}

/** A setup class with its configuration and the common options beside it. */
export type SubagentDeclaration<
  Clazz extends SetupClass = SetupClass,
  InputSchema extends z.ZodType | string = z.ZodType | string,
> = { readonly clazz: Clazz } & ConfigOf<Clazz> & SubagentOptions<InputSchema>;

type ConfigOf<Clazz> = Clazz extends { readonly configSchema: infer Schema extends z.ZodObject }
  ? Readonly<z.input<Schema>>
  : unknown;

/** What `submit` takes. */
export type PromptOf<InputSchema> = InputSchema extends z.ZodType ? z.input<InputSchema> : unknown;

/** What a successful answer holds, as the setup's own methods say. */
export type ResultOf<Clazz> = Clazz extends new (
  ...parameters: never
) => infer Setup
  ? Setup extends { callFetchResult(call: never): Promise<infer Answer> }
    ? ResultIn<Answer>
    : unknown
  : unknown;

type ResultIn<Answer> = Answer extends { readonly success: true; readonly result: infer Result } ? Result : never;

/** A sub-agent, bound to the action that got it. (Flink Agents: sub-agent resource.) */
export interface Subagent<Prompt = unknown, Result = unknown> {
  /** Gives it a task. Every time is a call of its own. @throws AgentError for a prompt that is no JSON */
  submit(prompt: Prompt, options?: SubmitOptions): SubagentFuture<Result>;
}

export interface SubmitOptions {
  /** Continues a session of the run's key with the remote; without a key, of the run. 1 to 128 bytes. @default a session of its own */
  readonly sessionId?: string;
}
