import {
  type ContextOf,
  defineAction,
  defineAgent,
  defineEvent,
  definePrompt,
  type Event,
  EventType,
  type InputEvent,
  OutputEvent,
  ResourceType,
} from 'lambda-agents';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

// Held by the compiler: a line below `@ts-expect-error` that compiles fails `npm run check`.

const orderCreated = defineEvent('order.created', z.object({ id: z.string(), total: z.number() }));
const orderShipped = defineEvent('order.shipped', z.object({ at: z.coerce.date() }));
const orders = defineAgent({
  name: 'orders',
  input: z.object({ id: z.string(), total: z.coerce.number(), urgent: z.boolean().default(false) }),
  output: z.string(),
});

describe('an event', () => {
  it('of the input is what the schema makes of it', () => {
    orders.addAction('a', EventType.InputEvent, (event) => {
      expectTypeOf(event).toEqualTypeOf<InputEvent<{ id: string; total: number; urgent: boolean }>>();
      expectTypeOf(event.attributes.input.total).toEqualTypeOf<number>();
      expectTypeOf(event.type).toEqualTypeOf<'_input_event'>();
      // @ts-expect-error the input has no such member
      event.input.amount;
      // @ts-expect-error an event is read only
      event.input = { id: 'a', total: 1, urgent: true };
    });
  });

  it('of an agent without an input schema is unknown', () => {
    defineAgent({ name: 'any' }).addAction('a', EventType.InputEvent, ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<unknown>();
    });
  });

  it('of a custom event has its attributes as the schema makes them', () => {
    orders.addAction('a', orderShipped, ({ attributes, type, upstreamActionName }) => {
      expectTypeOf(attributes.at).toEqualTypeOf<Date>();
      expectTypeOf(type).toEqualTypeOf<'order.shipped'>();
      expectTypeOf(upstreamActionName).toEqualTypeOf<string | undefined>();
    });
  });

  it('of several triggers is their union, told apart by its type', () => {
    orders.addAction('a', [orderCreated, EventType.InputEvent], (event) => {
      const id = event.type === 'order.created' ? event.attributes.id : event.input.id;
      expectTypeOf(id).toEqualTypeOf<string>();
      // @ts-expect-error only one of the two has an input
      event.input;
      switch (event.type) {
        case 'order.created':
          expectTypeOf(event.attributes).toEqualTypeOf<{ id: string; total: number }>();
          break;
        case EventType.InputEvent:
          expectTypeOf(event.input.urgent).toEqualTypeOf<boolean>();
          break;
        default:
          expectTypeOf(event).toBeNever();
      }
    });
  });

  it('of several triggers is told apart by .is as well', () => {
    orders.addAction('a', [orderCreated, orderShipped, EventType.InputEvent], (event) => {
      if (orderCreated.is(event)) expectTypeOf(event.attributes.total).toEqualTypeOf<number>();
      else if (orderShipped.is(event)) expectTypeOf(event.attributes.at).toEqualTypeOf<Date>();
      else expectTypeOf(event.input.id).toEqualTypeOf<string>();
    });
  });

  it('of a type given as text has unknown attributes until .is', () => {
    orders.addAction('a', 'order.created', (event) => {
      expectTypeOf(event).toEqualTypeOf<Event>();
      expectTypeOf(event.attributes.total).toEqualTypeOf<unknown>();
      if (orderCreated.is(event)) expectTypeOf(event.attributes.total).toEqualTypeOf<number>();
    });
    orders.addAction('b', ['order.created', orderShipped], (event) => {
      if (orderShipped.is(event)) expectTypeOf(event.attributes.at).toEqualTypeOf<Date>();
    });
  });

  it('cannot be what no event is', () => {
    // @ts-expect-error there is no such event type
    orders.addAction('a', EventType.InputEvents, () => {});
    // @ts-expect-error a number is no trigger
    orders.addAction('a', 5, () => {});
    const nothing = () => {};
    // @ts-expect-error a function of no event is no trigger
    orders.addAction('a', nothing, nothing);
  });
});

describe('a custom event', () => {
  it('takes what its schema reads', () => {
    expectTypeOf(orderCreated).parameter(0).toEqualTypeOf<{ id: string; total: number }>();
    orderShipped({ at: '2026-01-01' });
    // @ts-expect-error total is missing
    () => orderCreated({ id: 'a' });
    // @ts-expect-error total is no text
    () => orderCreated({ id: 'a', total: '5' });
    // @ts-expect-error there is no amount
    () => orderCreated({ id: 'a', total: 5, amount: 1 });
  });

  it('has attributes by name', () => {
    // @ts-expect-error attributes are a map
    () => defineEvent('x', z.string());
    // @ts-expect-error attributes are a map
    () => defineEvent('x', z.array(z.string()));
    defineEvent('x', z.record(z.string(), z.number()));
  });
});

describe('an action', () => {
  it('returns nothing, now or later', () => {
    orders.addAction('a', EventType.InputEvent, async () => {});
    orders.addAction('a', EventType.InputEvent, ({ input }, ctx) =>
      ctx.sendEvent(orderCreated({ id: input.id, total: 1 })),
    );
    // @ts-expect-error events are sent, not returned
    orders.addAction('a', EventType.InputEvent, () => OutputEvent('x'));
    // @ts-expect-error events are sent, not returned
    orders.addAction('a', EventType.InputEvent, async () => 5);
  });

  it('sends outputs that fit the output schema', () => {
    const agent = defineAgent({
      name: 'a',
      output: z.object({ review: z.array(z.string()).optional(), at: z.coerce.date(), kind: z.enum(['a', 'b']) }),
    });
    agent.addAction('a', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent({ review: ['x'], at: 'today', kind: 'a' }));
      ctx.sendEvent(OutputEvent({ at: 0, kind: 'b' }));
      const review: string[] = ['x'];
      const readonlyReview: readonly string[] = review;
      const kind: 'a' | 'b' = review.length > 1 ? 'a' : 'b';
      ctx.sendEvent(OutputEvent({ review, at: 0, kind }));
      ctx.sendEvent(OutputEvent({ review: [...readonlyReview], at: 0, kind }));
      // @ts-expect-error kind is missing
      ctx.sendEvent(OutputEvent({ at: 0 }));
      // @ts-expect-error no kind is c
      ctx.sendEvent(OutputEvent({ at: 0, kind: 'c' }));
      // @ts-expect-error a review is no text
      ctx.sendEvent(OutputEvent({ review: 'x', at: 0, kind: 'a' }));
      // @ts-expect-error an output is no text
      ctx.sendEvent(OutputEvent('x'));
      // @ts-expect-error an output is not sent by itself
      ctx.sendEvent({ at: 0, kind: 'a' });
      ctx.sendEvent(orderCreated({ id: 'a', total: 1 }));
    });
  });

  it('sends lists, unions and literals as outputs', () => {
    defineAgent({ name: 'a', output: z.array(z.string()) }).addAction('a', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent(['x', 'y']));
      ctx.sendEvent(OutputEvent([]));
      ctx.sendEvent(OutputEvent(['x'].map((text) => text)));
      // @ts-expect-error the list holds texts
      ctx.sendEvent(OutputEvent([1]));
    });
    const node = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('leaf'), of: z.tuple([z.number(), z.string()]) }),
      z.object({ kind: z.literal('list'), of: z.array(z.object({ name: z.string() })) }),
    ]);
    defineAgent({ name: 'a', output: node }).addAction('a', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent({ kind: 'leaf', of: [1, 'x'] }));
      ctx.sendEvent(OutputEvent({ kind: 'list', of: [{ name: 'x' }] }));
      // @ts-expect-error a leaf holds a pair
      ctx.sendEvent(OutputEvent({ kind: 'leaf', of: [{ name: 'x' }] }));
    });
  });

  it('sends anything when there is no output schema', () => {
    defineAgent({ name: 'a' }).addAction('a', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent('x'));
      ctx.sendEvent(OutputEvent({ a: [1] }));
      ctx.sendEvent(OutputEvent(undefined));
    });
  });

  it('of its own file has the types of its base', () => {
    const base = orders.addResource('tone', ResourceType.PROMPT, definePrompt('Be kind.'));
    const tone = (ctx: ContextOf<typeof base>) => ctx.getResource('tone', ResourceType.PROMPT).format({});
    const assess = defineAction(base, [EventType.InputEvent, orderCreated], async (event, ctx) => {
      const id = event.type === 'order.created' ? event.attributes.id : event.input.id;
      ctx.sendEvent(OutputEvent(id + tone(ctx)));
      // @ts-expect-error outputs are texts
      ctx.sendEvent(OutputEvent(5));
      // @ts-expect-error there is no such prompt
      ctx.getResource('voice', ResourceType.PROMPT);
    });
    base.addAction('assess', assess);
    base.addResource('more', ResourceType.PROMPT, definePrompt('x')).addAction('assess', assess);
    // @ts-expect-error the agent lacks the prompt that the action may use
    orders.addAction('assess', assess);
  });

  it('of its own file is refused by an agent with another input or output', () => {
    const shout = defineAction(orders, EventType.InputEvent, (event, ctx) =>
      ctx.sendEvent(OutputEvent(event.input.id)),
    );
    const more = z.object({ id: z.string(), total: z.number(), urgent: z.boolean(), more: z.string() });
    // @ts-expect-error the input is another
    defineAgent({ name: 'b', input: z.object({ name: z.string() }), output: z.string() }).addAction('a', shout);
    // @ts-expect-error the output is another
    defineAgent({ name: 'b', input: more, output: z.number() }).addAction('a', shout);
    defineAgent({ name: 'b', input: more, output: z.string() }).addAction('a', shout);
    defineAgent({ name: 'b', input: more }).addAction('a', shout);
  });
});

describe('the options of an agent', () => {
  it('are those that there are', () => {
    // @ts-expect-error there is no such option
    () => defineAgent({ name: 'a', inputs: z.string() });
    // @ts-expect-error an agent has a name
    () => defineAgent({ input: z.string() });
    // @ts-expect-error an input is a schema
    () => defineAgent({ name: 'a', input: String });
    // @ts-expect-error there is no such key
    () => defineAgent({ name: 'a', config: { 'run.max-attemps': 1 } });
    // @ts-expect-error attempts are a number
    () => defineAgent({ name: 'a', config: { 'run.max-attempts': '1' } });
    defineAgent({ name: 'a', config: { 'run.max-attempts': 1, 'run.retention-days': 30 } });
  });
});
