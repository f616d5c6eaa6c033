import { defineAgent, defineEvent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import * as z from 'zod';

/** Says its input twice, by a durable call. */
export const echo = defineAgent({ name: 'echo', input: z.string(), output: z.string() }).addAction(
  'answer',
  EventType.InputEvent,
  async (event, ctx) => {
    ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'twice', call: () => event.input + event.input })));
  },
);

const part = defineEvent('part', z.object({ number: z.number() }));

/** Answers each number, in an action for each. */
export const parts = defineAgent({ name: 'parts', input: z.array(z.number()), output: z.number() })
  .addAction('split', EventType.InputEvent, ({ input }, ctx) => {
    for (const number of input) ctx.sendEvent(part({ number }));
  })
  .addAction('answer', part, ({ attributes }, ctx) => ctx.sendEvent(OutputEvent(attributes.number)));

/** Puts out its input and then fails for good. */
export const broken = defineAgent({ name: 'broken', input: z.string(), output: z.string() })
  .addAction('first', EventType.InputEvent, ({ input }, ctx) => {
    ctx.sendEvent(OutputEvent(input));
    ctx.sendEvent(part({ number: 1 }));
  })
  .addAction('second', part, async (_, ctx) => {
    await ctx.durableExecute({
      id: 'save',
      call: () => {
        throw new TerminalError('The disk is full.');
      },
    });
  });

/** Fails in every attempt. */
export const flaky = defineAgent({ name: 'flaky', input: z.string() }).addAction('try', EventType.InputEvent, () => {
  throw new Error('no answer\nfrom the service');
});

/** Waits as long as its input says for an approval, and reminds after two days. */
export const approval = defineAgent({ name: 'approval', input: z.number(), output: z.unknown() }).addAction(
  'ask',
  EventType.InputEvent,
  async ({ input }, ctx) => {
    const answer = ctx.waitForSignal('approved', { timeoutMillis: input });
    await Promise.race([answer, ctx.sleep(2 * 86_400_000)]);
    ctx.sendEvent(OutputEvent((await answer) ?? 'nobody answered'));
  },
);
