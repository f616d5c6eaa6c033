import {
  type Config,
  defineAgent,
  definePrompt,
  EventType,
  type InputEvent,
  OutputEvent,
  type Prompt,
  ResourceType,
  type RunnerContext,
  type SignalOptions,
  type SleepOptions,
} from 'lambda-agents';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

// Held by the compiler: a line below `@ts-expect-error` that compiles fails `npm run check`.

const orders = defineAgent({
  name: 'orders',
  input: z.object({ id: z.string(), total: z.coerce.number(), urgent: z.boolean().default(false) }),
  output: z.string(),
});

describe('the context', () => {
  it('gives the resources that were added above, each as its kind', () => {
    orders
      .addResource('tone', ResourceType.PROMPT, definePrompt('x'))
      .addAction('a', EventType.InputEvent, (_event, ctx) => {
        expectTypeOf(ctx.getResource('tone', ResourceType.PROMPT)).toEqualTypeOf<Prompt>();
        expectTypeOf(ctx.hasResource('anything', ResourceType.PROMPT)).toEqualTypeOf<boolean>();
        // @ts-expect-error it is added below
        ctx.getResource('voice', ResourceType.PROMPT);
        // @ts-expect-error there is no such kind
        ctx.getResource('tone', ResourceType.MODEL);
      })
      .addResource('voice', ResourceType.PROMPT, definePrompt('x'))
      .addAction('b', EventType.InputEvent, (_event, ctx) => {
        ctx.getResource('tone', ResourceType.PROMPT);
        ctx.getResource('voice', ResourceType.PROMPT);
      });
    orders.addAction('a', EventType.InputEvent, (_event, ctx) => {
      // @ts-expect-error the agent has no resources
      ctx.getResource('tone', ResourceType.PROMPT);
    });
    // @ts-expect-error a prompt is declared with definePrompt
    orders.addResource('tone', ResourceType.PROMPT, 'Be kind.');
  });

  it('reads memory with a schema or as unknown', () => {
    orders.addAction('a', EventType.InputEvent, async (_event, ctx) => {
      expectTypeOf(await ctx.shortTermMemory.get('total', z.number())).toEqualTypeOf<number | undefined>();
      expectTypeOf(await ctx.sensoryMemory.get('last', z.coerce.date())).toEqualTypeOf<Date | undefined>();
      expectTypeOf(await ctx.shortTermMemory.get('total')).toEqualTypeOf<unknown>();
      expectTypeOf(await ctx.shortTermMemory.has('total')).toEqualTypeOf<boolean>();
      const total = ((await ctx.shortTermMemory.get('total', z.number())) ?? 0) + 1;
      ctx.shortTermMemory.set('total', total);
      ctx.shortTermMemory.set('total', undefined);
    });
  });

  it('gives nothing for a sleep, and the value of a signal as its schema gives it', () => {
    orders.addAction('a', EventType.InputEvent, async (_event, ctx) => {
      expectTypeOf(ctx.sleep(1, { id: 'nap' })).toEqualTypeOf<Promise<void>>();
      expectTypeOf(await ctx.waitForSignal('go')).toEqualTypeOf<unknown>();
      expectTypeOf(await ctx.waitForSignal('go', { timeoutMillis: 1 })).toEqualTypeOf<unknown>();
      const schema = z.object({ at: z.coerce.date() });
      expectTypeOf(await ctx.waitForSignal('go', { schema })).toEqualTypeOf<{ at: Date } | undefined>();
      expectTypeOf(await ctx.waitForSignal('go', { schema, timeoutMillis: 1 })).toEqualTypeOf<
        { at: Date } | undefined
      >();
      // @ts-expect-error milliseconds are a number
      void ctx.sleep('1 s');
      // @ts-expect-error there is no such option
      void ctx.waitForSignal('go', { timeout: 1 });
    });
    expectTypeOf<SleepOptions>().toEqualTypeOf<{ readonly id?: string }>();
    expectTypeOf<SignalOptions>().toHaveProperty('timeoutMillis');
  });

  it('gives what a durable call or its reconciler gives', () => {
    orders.addAction('a', EventType.InputEvent, async (event, ctx) => {
      const ticket = await ctx.durableExecute({
        id: 'open-ticket',
        call: async (signal) => ({ url: event.input.id, aborted: signal.aborted }),
        reconcile: async (call) => (event.input.urgent ? { url: 'x', aborted: false } : call()),
        args: { id: event.input.id },
        retry: { maxAttempts: 2 },
        timeoutMillis: 1_000,
      });
      expectTypeOf(ticket).toEqualTypeOf<{ url: string; aborted: boolean }>();
      expectTypeOf(await ctx.durableExecute({ id: 'now', call: () => 5 })).toEqualTypeOf<number>();
      // @ts-expect-error there is no such option
      void ctx.durableExecute({ id: 'a', call: () => 5, timeout: 5 });
      // @ts-expect-error there is no such option of retry
      void ctx.durableExecute({ id: 'a', call: () => 5, retry: { attempts: 5 } });
      // @ts-expect-error a durable call has an id
      void ctx.durableExecute({ call: () => 5 });
      // @ts-expect-error the reconciler gives another kind of value
      void ctx.durableExecute<number>({ id: 'a', call: () => 5, reconcile: () => 'x' });
      // @ts-expect-error there is no such semantics
      void ctx.durableExecute({ id: 'a', call: () => 5, semantics: 'exactly-once' });
    });
  });

  it('says what runs', () => {
    orders.addAction('a', EventType.InputEvent, (_event, ctx) => {
      expectTypeOf(ctx.runId).toEqualTypeOf<string>();
      expectTypeOf(ctx.key).toEqualTypeOf<string | undefined>();
      expectTypeOf(ctx.config).toEqualTypeOf<Config>();
      expectTypeOf(ctx.config['run.max-attempts']).toEqualTypeOf<number>();
      // @ts-expect-error there is no such key
      ctx.config['run.max'];
    });
  });

  it('without an agent takes any resource name and any output, as an action that YAML wires by name', () => {
    const delegate = (event: InputEvent<{ diff: string }>, ctx: RunnerContext) => {
      expectTypeOf(ctx.getResource('any name', ResourceType.PROMPT)).toEqualTypeOf<Prompt>();
      ctx.sendEvent(OutputEvent(event.input.diff));
      ctx.sendEvent(OutputEvent({ any: ['thing'] }));
    };
    expectTypeOf(delegate).returns.toBeVoid();
  });

  it('of an agent may be given to a helper that asks for any', () => {
    const log = (ctx: RunnerContext) => ctx.runId;
    orders.addAction('a', EventType.InputEvent, (_event, ctx) => {
      expectTypeOf(log(ctx)).toEqualTypeOf<string>();
    });
  });
});
