import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { expect, it } from 'vitest';
import * as z from 'zod';

const echo = defineAgent({ name: 'echo', input: z.string(), output: z.string() }).addAction(
  'answer',
  EventType.InputEvent,
  async (event, ctx) => {
    const twice = await ctx.durableExecute({ id: 'twice', call: () => event.input + event.input });
    ctx.sendEvent(OutputEvent(twice));
  },
);

it('answers', async () => {
  const runtime = testRuntime([echo]);
  expect(await runtime.run('echo', 'ab')).toMatchObject({ status: 'COMPLETED', outputs: ['abab'] });
  console.log(runtime.deployment.items.meter.total, runtime.deployment.drives);
  console.log(await runtime.survivesEveryCrash('echo', 'x'));
  console.log(await runtime.survivesEveryCrash('echo', 'x', { key: 'k' }));
});
