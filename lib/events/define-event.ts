import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import type { Attributes, Event, EventDraft } from './event.ts';

/** Attributes are a map, whatever else their schema says. */
type AttributesSchema = z.ZodType<Attributes>;

/** Segments joined by dots. A leading underscore is kept for built-in types. (Flink Agents: exact type conditions.) */
const TYPE = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$/;
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
    throw new AgentError(
      'INVALID_EVENT',
      `"${type}" is no event type. Use letters, digits, "_" and "-" in segments joined by dots, at most ${MAX_TYPE_LENGTH} characters, and no leading "_".`,
    );
  }
  const draft = (attributes: z.input<Schema>): EventDraft<Type, z.output<Schema>> => {
    const parsed = schema.safeParse(attributes);
    if (!parsed.success) {
      throw new AgentError(
        'INVALID_EVENT',
        `The attributes of event "${type}" do not fit its schema: ${z.prettifyError(parsed.error)}`,
      );
    }
    return { kind: 'custom', type, attributes: parsed.data };
  };
  const is = (event: Event): event is Event<Type, z.output<Schema>> => event.type === type;
  return Object.assign(draft, { type, schema, is });
}

/** Whether a text can be a custom event's type. */
export function isEventType(type: string): boolean {
  return type.length <= MAX_TYPE_LENGTH && TYPE.test(type);
}
