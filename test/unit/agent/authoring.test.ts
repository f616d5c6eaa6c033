import {
  type ContextOf,
  defineAction,
  defineAgent,
  defineEvent,
  definePrompt,
  EventType,
  OutputEvent,
  ResourceType,
} from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

// What authors write first, in the shapes that the guides show.

describe('events', () => {
  const orderCreated = defineEvent('order.created', z.object({ id: z.string(), total: z.number() }));
  const audited: number[] = [];
  const orders = defineAgent({
    name: 'orders',
    input: z.object({ id: z.string(), total: z.number(), urgent: z.boolean() }),
    output: z.string(),
  })
    .addAction('create', EventType.InputEvent, ({ input }, ctx) =>
      ctx.sendEvent(orderCreated({ id: input.id, total: input.total })),
    )
    .addAction('escalate', [orderCreated, EventType.InputEvent], (event, ctx) => {
      const id = event.type === 'order.created' ? event.attributes.id : event.input.id;
      ctx.sendEvent(OutputEvent(`${id} by ${event.type}`));
    })
    .addAction('audit', 'order.created', (event) => {
      if (orderCreated.is(event)) audited.push(event.attributes.total);
    });

  it('start the actions that name them, each with its own attributes', async () => {
    const result = await testRuntime([orders]).run('orders', { id: 'o-1', total: 120, urgent: true });
    expect(result).toMatchObject({
      status: 'COMPLETED',
      outputs: ['o-1 by _input_event', 'o-1 by order.created'],
    });
    expect(audited).toEqual([120]);
  });
});

describe('memory', () => {
  const tally = defineAgent({ name: 'tally', input: z.object({ amount: z.number() }), output: z.number() }).addAction(
    'add',
    EventType.InputEvent,
    async ({ input }, ctx) => {
      const total = ((await ctx.shortTermMemory.get('total', z.number())) ?? 0) + input.amount;
      ctx.shortTermMemory.set('total', total);
      ctx.sensoryMemory.set('last', input.amount);
      ctx.sendEvent(OutputEvent(total));
    },
  );

  it('of a key lives across its runs', async () => {
    const agents = testRuntime([tally]);
    await agents.run('tally', { amount: 2 }, { key: 'a' });
    await agents.run('tally', { amount: 5 }, { key: 'b' });
    expect(await agents.run('tally', { amount: 3 }, { key: 'a' })).toMatchObject({ outputs: [5] });
  });
});

describe('an agent in several files', () => {
  const base = defineAgent({
    name: 'triage',
    input: z.object({ diff: z.string() }),
    output: z.array(z.string()),
  }).addResource('question', ResourceType.PROMPT, definePrompt('Review {diff}.'));
  const question = (diff: string, ctx: ContextOf<typeof base>) =>
    ctx.getResource('question', ResourceType.PROMPT).format({ diff });
  const assess = defineAction(base, EventType.InputEvent, async (event, ctx) => {
    const answer = await ctx.durableExecute({ id: 'ask', call: () => question(event.input.diff, ctx) });
    ctx.sendEvent(OutputEvent([answer]));
  });
  const triage = base.addAction('assess', assess);

  it('is one agent', async () => {
    expect(await testRuntime([triage]).run('triage', { diff: 'x' })).toMatchObject({ outputs: [['Review x.']] });
  });

  it('survives every crash', async () => {
    const { crashes } = await testRuntime([triage]).survivesEveryCrash('triage', { diff: 'x' });
    expect(crashes).toBeGreaterThan(0);
  });
});
