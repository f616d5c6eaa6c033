import { defineAgent, EventType } from 'lambda-agents';

let asked = 0;

/** Gives its call other arguments in each attempt, so that the second one is BLOCKED. */
export const twofold = defineAgent({ name: 'twofold' }).addAction('go', EventType.InputEvent, async (_, ctx) => {
  asked += 1;
  await ctx.durableExecute({ id: 'ask', args: [asked], call: () => 1 });
  throw new Error('once more');
});
