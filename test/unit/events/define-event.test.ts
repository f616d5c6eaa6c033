import { AgentError, defineEvent, type Event, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const orderCreated = defineEvent('order.created', z.object({ id: z.string(), total: z.coerce.number() }));

const refusal = (run: () => unknown): AgentError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(AgentError);
    return error as AgentError;
  }
  throw new Error('Nothing was refused.');
};
const eventOf = (type: string): Event => ({ id: 'e', type, attributes: {} });

describe('a custom event', () => {
  it('makes a draft with its attributes parsed', () => {
    expect(orderCreated({ id: 'a', total: '12.5' })).toEqual({
      kind: 'custom',
      type: 'order.created',
      attributes: { id: 'a', total: 12.5 },
    });
  });

  it('carries its type and its schema', () => {
    expect(orderCreated.type).toBe('order.created');
    expect(orderCreated.schema.parse({ id: 'a', total: 1 })).toEqual({ id: 'a', total: 1 });
  });

  it('refuses attributes that do not fit, naming them', () => {
    const error = refusal(() => orderCreated({ id: 7, total: 1 } as never));
    expect(error).toMatchObject({ code: 'INVALID_EVENT' });
    expect(error.message).toMatch(/^The attributes of event "order\.created" do not fit its schema/);
    expect(error.message).toContain('id');
    expect(error.message).toContain('Mend these values:');
  });

  it('refuses a schema that can only be read asynchronously, when its first draft is made', () => {
    const later = defineEvent('later', z.object({ id: z.string().refine(async () => true) }));
    expect(refusal(() => later({ id: 'a' }))).toMatchObject({
      code: 'INVALID_EVENT',
      message: 'The schema of event "later" is asynchronous. Check what needs waiting in an action.',
    });
  });

  it.each([
    ['attributes that are no map', z.string()],
    ['nothing', undefined],
    ['no schema', { id: 'string' }],
  ])('has a schema: %s is refused', (_name, schema) => {
    expect(refusal(() => defineEvent('x', schema as never)('text' as never))).toMatchObject({
      code: 'INVALID_EVENT',
    });
  });

  it('tells its events from others by their type', () => {
    expect(orderCreated.is(eventOf('order.created'))).toBe(true);
    expect(orderCreated.is(eventOf('order.created.late'))).toBe(false);
    expect(orderCreated.is(eventOf(EventType.InputEvent))).toBe(false);
  });

  it.each([
    'a',
    'order',
    'order.created',
    'order-2.created_late',
    'a._b',
    'A1',
    'constructor',
    'toString',
    'a'.repeat(128),
    'trueish',
  ])('may be of type %j', (type) => {
    expect(defineEvent(type, z.object({}))({})).toEqual({ kind: 'custom', type, attributes: {} });
  });

  it.each([
    '',
    ' ',
    '_input_event',
    '_output_event',
    '__proto__',
    '_x',
    '1a',
    'a b',
    'a..b',
    '.a',
    'a.',
    'a.1',
    'ä',
    'a\n',
    'a#b',
    "'a'",
    'a == b',
    'a'.repeat(129),
    // These are expressions where a trigger is given as text (Flink Agents).
    'true',
    'false',
    'null',
    'EventType.InputEvent',
  ])('is refused with type %j', (type) => {
    expect(refusal(() => defineEvent(type, z.object({})))).toMatchObject({
      code: 'INVALID_EVENT',
      message: `${JSON.stringify(type)} is no event type. Use letters, digits, "_" and "-" in segments joined by dots, at most 128 characters, without a leading "_", and not true, false, null or EventType.`,
    });
  });
});

describe('the built-in types', () => {
  it('are spelt as in Flink Agents', () => {
    expect(EventType).toEqual({ InputEvent: '_input_event', OutputEvent: '_output_event' });
  });

  it('cannot be sent as a custom event', () => {
    for (const type of Object.values(EventType)) {
      expect(refusal(() => defineEvent(type, z.object({})))).toMatchObject({ code: 'INVALID_EVENT' });
    }
  });

  it.each([['text'], [undefined], [null], [0], [{ a: [1] }]])(
    'an output carries whatever it is given: %j',
    (output) => {
      expect(OutputEvent(output)).toEqual({ kind: 'output', type: '_output_event', attributes: { output } });
    },
  );
});
