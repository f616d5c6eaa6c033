import { type AgentDefinition, defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import * as z from 'zod';
import type { TestSignal } from '../../../../lib/testing/test-runtime.ts';
import { Remote } from './remote.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What the calls of the programs act upon. */
export const waitRemote = new Remote();

/** Entries into actions that fail at their first one. */
const entered = new Set<string>();

export function prepareWaits(): void {
  waitRemote.reset();
  entered.clear();
}

/** A new agent whose outputs are texts. */
const texts = <const Name extends string>(name: Name) => defineAgent({ name, input: z.string(), output: z.string() });

const nap = texts('nap').addAction('rest', EventType.InputEvent, async (event, ctx) => {
  await ctx.sleep(5 * MINUTE);
  ctx.sendEvent(OutputEvent(event.input));
});

const naps = texts('naps').addAction('rest', EventType.InputEvent, async (event, ctx) => {
  await Promise.all([ctx.sleep(20 * MINUTE, { id: 'long' }), ctx.sleep(2 * MINUTE, { id: 'short' })]);
  await ctx.sleep(SECOND);
  ctx.sendEvent(OutputEvent(event.input));
});

/** The call is over before the sleep. */
const beside = texts('beside').addAction('both', EventType.InputEvent, async (_event, ctx) => {
  const [, made] = await Promise.all([
    ctx.sleep(90 * SECOND),
    ctx.durableExecute({ id: 'short', call: () => waitRemote.act('short') }),
  ]);
  ctx.sendEvent(OutputEvent(made));
});

/** The sleep is over while the call still waits for its next attempt. */
const within = texts('within').addAction('both', EventType.InputEvent, async (_event, ctx) => {
  const retry = { maxAttempts: 9, initialMillis: 10_000, maxMillis: 10_000 };
  const [, made] = await Promise.all([
    ctx.sleep(25 * SECOND),
    ctx.durableExecute({ id: 'long', retry, call: () => waitRemote.actAfter(5, 'long') }),
  ]);
  ctx.sendEvent(OutputEvent(made));
});

/** When the call is over, less is left of the sleep than a drive stays for. */
const remainder = texts('remainder').addAction('both', EventType.InputEvent, async (_event, ctx) => {
  const retry = { maxAttempts: 2, initialMillis: 3_500 };
  const [, made] = await Promise.all([
    ctx.sleep(5 * SECOND),
    ctx.durableExecute({ id: 'call', retry, call: () => waitRemote.actAfter(1, 'call') }),
  ]);
  ctx.sendEvent(OutputEvent(made));
});

/** Whoever wins is called upon; with other arguments in a replay the run would be BLOCKED. */
const deadline = texts('deadline').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  const winner = await Promise.race([
    ctx.sleep(2 * DAY).then(() => 'late'),
    ctx.waitForSignal('go').then((value) => `go ${String(value)}`),
  ]);
  await ctx.sleep(3 * DAY, { id: 'rest' });
  ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', args: winner, call: () => winner })));
});

/** The call wins; the sleep that lost ends while the action waits for something else. */
const loser = texts('loser').addAction('race', EventType.InputEvent, async (_event, ctx) => {
  const winner = await Promise.race([
    ctx.sleep(HOUR).then(() => 'sleep'),
    ctx.durableExecute({ id: 'quick', call: () => 'call' }),
  ]);
  const second = await Promise.any([ctx.sleep(2 * HOUR, { id: 'other' }).then(() => 'other'), ctx.waitForSignal('go')]);
  ctx.sendEvent(
    OutputEvent(await ctx.durableExecute({ id: 'act', args: [winner, second], call: () => `${winner} ${second}` })),
  );
});

/** The sleep wins over a call that needs many attempts. */
const impatient = texts('impatient').addAction('race', EventType.InputEvent, async (_event, ctx) => {
  const retry = { maxAttempts: 99, initialMillis: 10_000, maxMillis: 10_000 };
  const winner = await Promise.race([
    ctx.durableExecute({ id: 'slow', retry, call: () => Promise.reject(new Error('not yet')) }),
    ctx.sleep(SECOND).then(() => 'sleep'),
  ]);
  ctx.sendEvent(OutputEvent(String(winner)));
});

/** The sleep that lost is still pending when its action ends. */
const abandoned = texts('abandoned').addAction('race', EventType.InputEvent, async (_event, ctx) => {
  const winner = await Promise.race([ctx.sleep(HOUR).then(() => 'sleep'), ctx.waitForSignal('go')]);
  ctx.sendEvent(OutputEvent(String(winner)));
});

const inTime = texts('in-time').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  const answer = await ctx.waitForSignal('go', { timeoutMillis: DAY });
  ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', args: [answer ?? null], call: () => `${answer}` })));
});

const twice = texts('twice').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  const first = await ctx.waitForSignal('go');
  const second = await ctx.waitForSignal('go');
  ctx.sendEvent(OutputEvent(`${first} ${second}`));
});

const together = texts('together').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  const answers = await Promise.all([ctx.waitForSignal('go'), ctx.waitForSignal('go'), ctx.waitForSignal('stop')]);
  ctx.sendEvent(OutputEvent(answers.join(' ')));
});

const told = defineEvent('told', z.object({ text: z.string() }));

const actions = texts('actions')
  .addAction('left', EventType.InputEvent, async (_event, ctx) => {
    await ctx.sleep(10 * MINUTE);
    ctx.sendEvent(told({ text: `left ${await ctx.waitForSignal('go')}` }));
  })
  .addAction('right', EventType.InputEvent, async (_event, ctx) => {
    await ctx.sleep(5 * MINUTE);
    ctx.sendEvent(told({ text: `right ${await ctx.waitForSignal('go')}` }));
  })
  .addAction('tell', told, (event, ctx) => ctx.sendEvent(OutputEvent(event.attributes.text)));

const memory = texts('memory')
  .addAction('count', EventType.InputEvent, async (event, ctx) => {
    const total = ((await ctx.shortTermMemory.get('total', z.number())) ?? 0) + event.input.length;
    ctx.shortTermMemory.set('total', total);
    await ctx.sleep(HOUR);
    ctx.sensoryMemory.set('seen', await ctx.waitForSignal('go'));
    ctx.sendEvent(told({ text: String(total) }));
  })
  .addAction('tell', told, async (event, ctx) => {
    const seen = await ctx.sensoryMemory.get('seen');
    ctx.shortTermMemory.set('seen', seen);
    await ctx.sleep(HOUR);
    ctx.sendEvent(OutputEvent(`${event.attributes.text} ${seen} ${await ctx.shortTermMemory.get('total')}`));
  });

const stumbles = texts('stumbles').addAction('wait', EventType.InputEvent, async (event, ctx) => {
  await ctx.durableExecute({ id: 'before', call: () => 1 });
  if (!entered.has('first')) {
    entered.add('first');
    throw new Error('The first attempt fails.');
  }
  await ctx.sleep(HOUR);
  if (!entered.has('second')) {
    entered.add('second');
    throw new Error('The first attempt after the wait fails.');
  }
  ctx.sendEvent(OutputEvent(`${event.input} ${await ctx.waitForSignal('go')}`));
});

/** Refused values are taken from the queue of signals, so that the next one counts. */
const picky = texts('picky').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  const refused: string[] = [];
  for (;;) {
    try {
      const answer = await ctx.waitForSignal('go', { schema: z.number() });
      return ctx.sendEvent(OutputEvent(`${answer} after ${refused.join()}`));
    } catch (error) {
      refused.push((error as { readonly code: string }).code);
    }
  }
});

const gone = texts('gone').addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  await ctx.waitForSignal('go', { schema: z.number() });
});

export interface WaitProgram {
  readonly name: string;
  readonly agent: AgentDefinition;
  readonly signals?: readonly TestSignal[];
  /** @default COMPLETED */
  readonly status?: string;
  readonly outputs: readonly unknown[];
}

const go = (value: unknown, afterMillis = 0): TestSignal => ({ name: 'go', value, afterMillis });

/** Later than any recovery from two crashes: a message that nobody answered comes back after 30 minutes. */
const LATE = 2 * HOUR;

/** Small programs that wait, with what they come to whatever happens to their processes. */
export const waitPrograms: readonly WaitProgram[] = [
  { name: 'a sleep', agent: nap, outputs: ['ab'] },
  { name: 'two sleeps side by side', agent: naps, outputs: ['ab'] },
  { name: 'a sleep beside a shorter call', agent: beside, outputs: ['short done'] },
  { name: 'a sleep beside a longer call', agent: within, outputs: ['long done'] },
  { name: 'a sleep whose rest is short', agent: remainder, outputs: ['call done'] },
  { name: 'a race of sleep and signal, won by the sleep', agent: deadline, outputs: ['late'] },
  { name: 'the same, with a signal that is too late', agent: deadline, signals: [go(1, 3 * DAY)], outputs: ['late'] },
  { name: 'the same, won by a signal', agent: deadline, signals: [go(1, LATE)], outputs: ['go 1'] },
  { name: 'the same, won by an early signal', agent: deadline, signals: [go(1)], outputs: ['go 1'] },
  { name: 'a race that a call wins', agent: loser, outputs: ['call other'] },
  { name: 'a race that a call wins, then a signal', agent: loser, signals: [go('go')], outputs: ['call go'] },
  { name: 'a race that a sleep wins', agent: impatient, outputs: ['sleep'] },
  { name: 'a race whose loser is left behind', agent: abandoned, signals: [go('go')], outputs: ['go'] },
  { name: 'the same, won by the sleep', agent: abandoned, outputs: ['sleep'] },
  { name: 'a signal in time', agent: inTime, signals: [go(7, LATE)], outputs: ['7'] },
  { name: 'a signal before its wait', agent: inTime, signals: [go(7)], outputs: ['7'] },
  { name: 'a signal after its time', agent: inTime, signals: [go(7, 2 * DAY)], outputs: ['undefined'] },
  { name: 'two signals, one waited for', agent: inTime, signals: [go(7, LATE), go(8, 2 * LATE)], outputs: ['7'] },
  { name: 'a signal that never comes', agent: inTime, outputs: ['undefined'] },
  { name: 'two waits for one name', agent: twice, signals: [go(1, LATE), go(2, 2 * LATE)], outputs: ['1 2'] },
  { name: 'the same, signals first', agent: twice, signals: [go(1), go(2)], outputs: ['1 2'] },
  {
    name: 'two waits for one name side by side',
    agent: together,
    signals: [go(1, LATE), go(2, 2 * LATE), { name: 'stop', value: 3, afterMillis: 3 * LATE }],
    outputs: ['1 2 3'],
  },
  {
    name: 'the same, signals first',
    agent: together,
    signals: [{ name: 'stop', value: 3 }, go(1), go(2)],
    outputs: ['1 2 3'],
  },
  {
    name: 'waits in two actions',
    agent: actions,
    signals: [go(1, DAY), go(2, 2 * DAY)],
    outputs: ['right 1', 'left 2'],
  },
  { name: 'a wait before memory and events', agent: memory, signals: [go('x', DAY)], outputs: ['2 x 2'] },
  { name: 'waits after failed attempts', agent: stumbles, signals: [go('x')], outputs: ['ab x'] },
  {
    name: 'values that a schema refuses',
    agent: picky,
    signals: [go('no'), go(null), go(3, DAY)],
    outputs: ['3 after INVALID_SIGNAL,INVALID_SIGNAL'],
  },
  { name: 'a refused value that nobody catches', agent: gone, signals: [go('no')], status: 'FAILED', outputs: [] },
];
