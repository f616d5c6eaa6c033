// Programs about the life of runs: events, memory, waits, keys, redrives. None is ever changed: a new behaviour is a new program.
import { defineEvent, EventType, OutputEvent } from 'lambda-agents';
import * as z from 'zod';
import { type CreateProgram, golden, HOUR, one, request } from './golden-program.ts';

export const RUN_PROGRAMS: Readonly<Record<string, CreateProgram>> = {
  'events and memory': (effect) => {
    const step = defineEvent('golden.step', z.object({ n: z.number() }));
    return one(
      golden()
        .addAction('split', EventType.InputEvent, (_event, ctx) => {
          ctx.sensoryMemory.set('sum', 0);
          for (const n of [1, 2, 2]) ctx.sendEvent(step({ n }));
        })
        .addAction('add', step, async (event, ctx) => {
          const { n } = event.attributes;
          const sum = ((await ctx.sensoryMemory.get('sum', z.number())) ?? 0) + n;
          await ctx.durableExecute({ id: 'add', call: () => effect('add') });
          ctx.sensoryMemory.set('sum', sum);
          ctx.sendEvent(OutputEvent(sum));
        }),
    );
  },
  'two runs of a key': (effect) => ({
    agent: golden().addAction('count', EventType.InputEvent, async (event, ctx) => {
      const { n } = event.input as { readonly n: number };
      const count = ((await ctx.shortTermMemory.get('count', z.number())) ?? 0) + n;
      ctx.shortTermMemory.set('count', count);
      await ctx.durableExecute({ id: `note ${n}`, call: () => effect(`note ${n}`) });
      ctx.sendEvent(OutputEvent(count));
    }),
    requests: [1, 2].map((n) => request({ n }, { requestId: `r${n}`, key: 'k/ü#' })),
  }),
  sleep: () =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        await ctx.sleep(HOUR, { id: 'an hour' });
        await ctx.sleep(1_000);
        ctx.sendEvent(OutputEvent('awake'));
      }),
    ),
  signals: () => ({
    agent: golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
      const late = await ctx.waitForSignal('late', { timeoutMillis: HOUR });
      const go = await ctx.waitForSignal('go', { schema: z.object({ by: z.string() }) });
      ctx.sendEvent(OutputEvent([late ?? 'nothing', go?.by]));
    }),
    requests: [
      request({ n: 1 }),
      { body: { signal: { requestId: 'r', name: 'go', value: { by: 'ann' } } }, group: 'other', afterMillis: 2 * HOUR },
    ],
  }),
  'memory across a wait': (effect) => ({
    agent: golden()
      .addAction('waits', EventType.InputEvent, async (event, ctx) => {
        const { n } = event.input as { readonly n: number };
        const before = await ctx.shortTermMemory.get('count', z.number());
        ctx.sensoryMemory.set('n', n);
        await ctx.sleep(HOUR);
        // What the other action has committed meanwhile is not seen.
        const after = await ctx.shortTermMemory.get('count', z.number());
        ctx.shortTermMemory.set('count', n);
        ctx.sendEvent(OutputEvent([before ?? null, after ?? null, (await ctx.sensoryMemory.get('n')) ?? null]));
      })
      .addAction('notes', EventType.InputEvent, async (event, ctx) => {
        const { n } = event.input as { readonly n: number };
        await ctx.durableExecute({ id: `note ${n}`, call: () => effect(`note ${n}`) });
        ctx.shortTermMemory.set('count', 10 * n);
        ctx.shortTermMemory.set('other', new Date(n));
        ctx.sendEvent(OutputEvent((await ctx.shortTermMemory.get('count', z.number())) ?? null));
      }),
    requests: [1, 2].map((n) => request({ n }, { requestId: `r${n}`, key: 'k' })),
  }),
  'an action that throws': (effect, passedMillis) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({ id: 'note', call: () => effect('note') });
        if (passedMillis() < 3_000) throw new Error('a fault outside of any call');
        ctx.sendEvent(OutputEvent('mended'));
      }),
    ),
  'a run that is redriven': (effect, passedMillis) => ({
    agent: golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'good', call: () => effect('good') });
      const call = () => {
        effect('mended');
        if (passedMillis() < HOUR / 2) throw new Error('not mended yet');
        return 'mended';
      };
      ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'mended', call })));
    }),
    requests: [request({ n: 1 }), { body: { redrive: { requestId: 'r' } }, group: 'other', afterMillis: HOUR }],
  }),
  'a redriven run of a key': (effect, passedMillis) => ({
    agent: golden()
      .addAction('counts', EventType.InputEvent, async (event, ctx) => {
        const { n } = event.input as { readonly n: number };
        const count = ((await ctx.shortTermMemory.get('count', z.number())) ?? 0) + n;
        ctx.shortTermMemory.set('count', count);
        await ctx.durableExecute({ id: `note ${n}`, call: () => effect(`note ${n}`) });
      })
      .addAction('fails', EventType.InputEvent, async (event, ctx) => {
        const { n } = event.input as { readonly n: number };
        // What the key remembered when the run began, also after another run has left more.
        const last = (await ctx.shortTermMemory.get('last', z.number())) ?? null;
        const call = () => {
          effect(`mended ${n}`);
          if (n === 1 && passedMillis() < HOUR / 2) throw new Error('not mended yet');
          return last;
        };
        const told = await ctx.durableExecute({ id: `mended ${n}`, call });
        ctx.shortTermMemory.set('last', n);
        ctx.sendEvent(OutputEvent([told, (await ctx.shortTermMemory.get('count')) ?? null]));
      }),
    requests: [
      ...[1, 2].map((n) => request({ n }, { requestId: `r${n}`, key: 'k' })),
      { body: { redrive: { requestId: 'r1' } }, group: 'other', afterMillis: HOUR },
      request({ n: 3 }, { requestId: 'r3', key: 'k' }, { group: 'other', afterMillis: 2 * HOUR }),
    ],
  }),
};
