import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { checkId } from '../store/keys.ts';

export interface SleepOptions {
  /** Stable name inside the action. Parallel sleeps need different ids. @default 'sleep' */
  readonly id?: string;
}

export interface SignalOptions<Schema extends z.ZodType = z.ZodType> {
  /** What the signal's value must fit. @default any JSON */
  readonly schema?: Schema;
  /** Longest wait in milliseconds; then the answer is `undefined`. @default as long as the run may live */
  readonly timeoutMillis?: number;
}

const DEFAULT_SLEEP_ID = 'sleep';
/** No run lives longer. */
const MAX_WAIT_MILLIS = 365 * 86_400_000;

const sleepOptions = z.strictObject({ id: z.string().default(DEFAULT_SLEEP_ID) });
const signalOptions = z.strictObject({
  schema: z.custom<z.ZodType>((value) => value instanceof z.ZodType, 'must be a zod schema').optional(),
  timeoutMillis: z.number().optional(),
});

/** @throws AgentError `INVALID_CALL` */
export function checkSleep(millis: unknown, options: unknown = {}): { readonly id: string; readonly millis: number } {
  const { id } = parse('sleep', sleepOptions, options);
  checkId('The id of a sleep', id);
  return { id, millis: checkMillis('sleep', millis) };
}

/** @throws AgentError `INVALID_CALL` */
export function checkSignal(
  name: unknown,
  options: unknown = {},
): { readonly name: string; readonly schema: z.ZodType | undefined; readonly timeoutMillis: number | undefined } {
  if (typeof name !== 'string') {
    throw new AgentError('INVALID_CALL', `waitForSignal was given a name that is a ${typeof name}. Give a text.`);
  }
  checkId('The name of a signal', name);
  const { schema, timeoutMillis } = parse('waitForSignal', signalOptions, options);
  const limit = timeoutMillis === undefined ? undefined : checkMillis('waitForSignal', timeoutMillis);
  return { name, schema, timeoutMillis: limit };
}

function checkMillis(method: string, millis: unknown): number {
  if (typeof millis === 'number' && millis >= 0 && millis <= MAX_WAIT_MILLIS) return Math.ceil(millis);
  const asked = typeof millis === 'number' ? `${millis} ms` : `a ${typeof millis}`;
  throw new AgentError(
    'INVALID_CALL',
    `${method} was told to wait ${asked}. Give milliseconds: a number from 0 to ${MAX_WAIT_MILLIS} (365 days).`,
  );
}

function parse<Schema extends z.ZodType>(method: string, schema: Schema, options: unknown): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new AgentError('INVALID_CALL', `The options of ${method} are not valid. ${z.prettifyError(parsed.error)}`);
}
