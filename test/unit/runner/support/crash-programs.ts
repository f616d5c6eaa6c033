import { CallInterruptedError, defineAgent, defineEvent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import * as z from 'zod';
import { Remote } from './remote.ts';

/** What the calls of the programs act upon. */
export const remote = new Remote();

/** A new agent whose outputs are texts. */
const texts = <const Name extends string>(name: Name) => defineAgent({ name, input: z.string(), output: z.string() });

export const single = texts('single').addAction('only', EventType.InputEvent, async (event, ctx) => {
  ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', call: () => remote.act(event.input) })));
});

const sequence = texts('sequence').addAction('three', EventType.InputEvent, async (event, ctx) => {
  let text = event.input;
  for (let round = 0; round < 3; round += 1) {
    const before = text;
    text = await ctx.durableExecute({ id: 'step', args: { before }, call: () => `${before}${round}` });
  }
  ctx.sendEvent(OutputEvent(text));
});

const branches = texts('branches').addAction('all', EventType.InputEvent, async (event, ctx) => {
  const branch = async (name: string) => {
    const first = await ctx.durableExecute({ id: `${name}-1`, call: () => `${event.input}${name}` });
    return ctx.durableExecute({ id: `${name}-2`, args: first, call: async () => `${first}!` });
  };
  ctx.sendEvent(OutputEvent((await Promise.all(['a', 'b', 'c'].map(branch))).join(' ')));
});

const settled = texts('settled').addAction('all-settled', EventType.InputEvent, async (event, ctx) => {
  const outcomes = await Promise.allSettled([
    ctx.durableExecute({ id: 'good', call: () => event.input }),
    ctx.durableExecute({ id: 'bad', call: () => Promise.reject(new RangeError('no')) }),
  ]);
  ctx.sendEvent(
    OutputEvent(outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.name)).join()),
  );
});

/** The slow one needs a second call after a wait, so the quick one wins in every run. */
const race = texts('race').addAction('first', EventType.InputEvent, async (event, ctx) => {
  const winner = await Promise.race([
    ctx.durableExecute({ id: 'slow', retry: { maxAttempts: 9 }, call: () => remote.actAfter(4, 'slow') }),
    ctx.durableExecute({ id: 'quick', call: () => `${event.input} quick` }),
  ]);
  const second = await Promise.any([
    ctx.durableExecute({ id: 'fails', call: () => Promise.reject(new Error('no')) }),
    ctx.durableExecute({ id: 'works', args: winner, call: () => `${winner} works` }),
  ]);
  ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'after', args: second, call: () => `${second} after` })));
});

const caught = texts('caught').addAction('try', EventType.InputEvent, async (event, ctx) => {
  try {
    await ctx.durableExecute({ id: 'charge', call: () => Promise.reject(new TypeError('refused')) });
  } catch (error) {
    const name = (error as Error).name;
    const made = await ctx.durableExecute({ id: 'refund', args: name, call: () => `${event.input} ${name} refunded` });
    ctx.sendEvent(OutputEvent(made));
  }
});

const uncaught = texts('uncaught').addAction('fall', EventType.InputEvent, async (_event, ctx) => {
  await ctx.durableExecute({ id: 'before', call: () => 'kept' });
  await ctx.durableExecute({ id: 'charge', call: () => Promise.reject(new TypeError('refused')) });
});

const terminal = texts('terminal')
  .addAction('say', EventType.InputEvent, (event, ctx) => ctx.sendEvent(OutputEvent(event.input)))
  .addAction('stop', EventType.InputEvent, async (_event, ctx) => {
    await ctx.durableExecute({ id: 'look', call: () => 1 });
    throw new TerminalError('not for us');
  });

const retried = texts('retried').addAction('insist', EventType.InputEvent, async (_event, ctx) => {
  const retry = { maxAttempts: 4, initialMillis: 100 };
  const plain = await ctx.durableExecute({ id: 'plain', retry, call: () => remote.actAfter(2, 'plain') });
  const asked = await ctx.durableExecute({
    id: 'asked',
    retry,
    call: () => remote.actAfter(2, 'asked'),
    reconcile: (call) => remote.find('asked') ?? call(),
  });
  ctx.sendEvent(OutputEvent(`${plain} ${asked}`));
});

const careful = texts('careful').addAction('pay', EventType.InputEvent, async (_event, ctx) => {
  const charge = ctx.durableExecute({
    id: 'charge',
    call: () => remote.act('charge'),
    reconcile: (call) => remote.find('charge') ?? call(),
  });
  // A crash may leave it open whether the mail went out; both outcomes are worth the same here.
  const mail = ctx.durableExecute({ id: 'mail', semantics: 'at-most-once', call: () => remote.act('mail') });
  const sent = await mail.then(
    () => true,
    (error: unknown) => error instanceof CallInterruptedError,
  );
  ctx.sendEvent(OutputEvent(`${await charge} ${sent}`));
});

const item = defineEvent('item', z.object({ text: z.string() }));
const link = defineEvent('link', z.object({ left: z.number() }));

const siblings = texts('siblings')
  .addAction('split', EventType.InputEvent, (event, ctx) => {
    for (let count = 0; count < 3; count += 1) ctx.sendEvent(item({ text: event.input }));
  })
  .addAction('each', item, async (event, ctx) => {
    ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'each', call: () => event.attributes.text })));
  })
  .addAction('quiet', [item, EventType.InputEvent], () => {});

const chain = texts('chain')
  .addAction('start', EventType.InputEvent, (_event, ctx) => ctx.sendEvent(link({ left: 3 })))
  .addAction('next', link, async (event, ctx) => {
    const { left } = event.attributes;
    const path = (await ctx.sensoryMemory.get('path', z.string())) ?? '';
    ctx.sensoryMemory.set('path', `${path}${left}`);
    if (left > 0) ctx.sendEvent(link({ left: left - 1 }));
    else ctx.sendEvent(OutputEvent(path));
  });

const memory = texts('memory')
  .addAction('add', EventType.InputEvent, async (event, ctx) => {
    const total = ((await ctx.shortTermMemory.get('total', z.number())) ?? 0) + event.input.length;
    ctx.shortTermMemory.set('total', total);
    await ctx.durableExecute({ id: 'note', args: total, call: () => total });
    ctx.shortTermMemory.set('gone', 1);
    ctx.sendEvent(item({ text: String(total) }));
  })
  .addAction('tell', item, async (event, ctx) => {
    ctx.shortTermMemory.set('gone', undefined);
    ctx.sensoryMemory.set('told', event.attributes.text);
    ctx.sendEvent(OutputEvent(`${event.attributes.text} ${await ctx.shortTermMemory.get('total')}`));
  });

/** Small programs that together use everything that a crash may hit. */
export const programs = [
  single,
  sequence,
  branches,
  settled,
  race,
  caught,
  uncaught,
  terminal,
  retried,
  careful,
  siblings,
  chain,
  memory,
] as const;
