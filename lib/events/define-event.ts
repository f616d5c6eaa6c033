import * as z from 'zod';
// Not `z.core`: that would keep all of zod in the bundle, its languages included.
import * as core from 'zod/v4/core';
import { AgentError } from '../errors/agent-error.ts';
import type { Attributes, Event, EventDraft } from './event.ts';

/** Attributes are a map, whatever else their schema says. */
type AttributesSchema = z.ZodType<Attributes>;

/**
 * Segments joined by dots. A leading underscore is kept for built-in types; the words that are excepted are expressions where a trigger is
 * given as text. (Flink Agents: exact type conditions.)
 */
const TYPE = /^(?!(?:true|false|null)$|EventType\.)[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$/;
const MAX_TYPE_LENGTH = 128;

/** A custom event: called, it makes a draft for `ctx.sendEvent`; named as a trigger, it types the action's `event`. */
export interface EventDefinition<Type extends string = string, Schema extends AttributesSchema = AttributesSchema> {
  (attributes: z.input<Schema>): EventDraft<Type, z.output<Schema>>;
  readonly type: Type;
  readonly schema: Schema;
  /** Narrows an event of unknown type. */
  is(event: Event): event is Event<Type, z.output<Schema>>;
}

/**
 * Declares a custom event with the schema of its attributes.
 * @throws AgentError `INVALID_EVENT` for a bad type; the returned function throws it for attributes that the schema refuses
 * @example const orderCreated = defineEvent('order.created', z.object({ id: z.string() }));
 */
export function defineEvent<const Type extends string, Schema extends AttributesSchema>(
  type: Type,
  schema: Schema,
): EventDefinition<Type, Schema> {
  if (!isEventType(type)) {
    throw invalid(
      `${JSON.stringify(type)} is no event type. Use letters, digits, "_" and "-" in segments joined by dots, at most ${MAX_TYPE_LENGTH} characters, without a leading "_", and not true, false, null or EventType.`,
    );
  }
  if (!(schema instanceof z.ZodType))
    throw invalid(`Event "${type}" has no schema. Give one of an object, for instance z.object({ … }).`);
  const draft = (attributes: z.input<Schema>): EventDraft<Type, z.output<Schema>> => ({
    kind: 'custom',
    type,
    attributes: parseAttributes(type, schema, attributes),
  });
  const is = (event: Event): event is Event<Type, z.output<Schema>> => event.type === type;
  return Object.assign(draft, { type, schema, is });
}

const invalid = (message: string, cause?: unknown): AgentError =>
  new AgentError('INVALID_EVENT', message, cause === undefined ? {} : { cause });

function parseAttributes<Schema extends AttributesSchema>(
  type: string,
  schema: Schema,
  attributes: z.input<Schema>,
): z.output<Schema> {
  let parsed: z.ZodSafeParseResult<z.output<Schema>>;
  try {
    parsed = schema.safeParse(attributes);
  } catch (error) {
    if (!(error instanceof core.$ZodAsyncError)) throw error;
    throw invalid(`The schema of event "${type}" is asynchronous. Check what needs waiting in an action.`, error);
  }
  if (!parsed.success) {
    throw invalid(
      `The attributes of event "${type}" do not fit its schema. Mend these values:\n${z.prettifyError(parsed.error)}`,
    );
  }
  if (typeof parsed.data !== 'object' || parsed.data === null || Array.isArray(parsed.data))
    throw invalid(`The attributes of event "${type}" are no object. Give each value a name: z.object({ … }).`);
  return parsed.data;
}

/** Whether a text can be a custom event's type. */
export function isEventType(type: string): boolean {
  return type.length <= MAX_TYPE_LENGTH && TYPE.test(type);
}
