// What the golden journals were recorded with. No program is ever changed: a new behaviour is a new program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentDefinition, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import * as z from 'zod';
import { codeReview } from '../../functions/agents/code-review.ts';
import { diffReport } from '../../functions/agents/diff-report.ts';
import { type CreateProgram, type Effect, type GoldenProgram, golden, HOUR, one, request } from './golden-program.ts';
import { REMOTE_PROGRAMS } from './remote-programs.ts';

export const PROGRAMS: Readonly<Record<string, CreateProgram>> = {
  sequence: (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const values: number[] = [];
        for (const id of ['a', 'b', 'c']) {
          values.push(
            await ctx.durableExecute({
              id,
              args: { id },
              call: () => {
                effect(id);
                return id.charCodeAt(0);
              },
            }),
          );
        }
        ctx.sendEvent(OutputEvent(values));
      }),
    ),
  parallel: (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const call = (id: string, waitMillis: number) =>
          ctx.durableExecute({
            id,
            retry: { maxAttempts: 2, initialMillis: waitMillis },
            call: oneFailure(id, effect),
          });
        const first = await Promise.race([call('late', 1_500), call('early', 500)]);
        ctx.sendEvent(OutputEvent(first));
      }),
    ),
  guarded: (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const reconciled = await ctx.durableExecute({
          id: 'reconciled',
          call: () => effect('reconciled'),
          reconcile: () => undefined,
        });
        const once = await ctx
          .durableExecute({ id: 'once', call: () => effect('once'), semantics: 'at-most-once' })
          .catch((error: Error) => error.name);
        // Whether it happened is not known when it was interrupted; then the error says so.
        ctx.sendEvent(OutputEvent([reconciled ?? null, once === undefined || once === 'CallInterruptedError']));
      }),
    ),
  'caught failure': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const call = (): never => {
          effect('bad');
          throw Object.assign(new RangeError('too far'), { code: 'FAR', cause: new Error('why') });
        };
        const said = await ctx.durableExecute({ id: 'bad', call }).catch((error: unknown) => error);
        ctx.sendEvent(OutputEvent([said instanceof RangeError, String(said), (said as { code: string }).code]));
      }),
    ),
  'uncaught failure': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({
          id: 'bad',
          call: () => {
            effect('bad');
            throw new Error('nobody catches it');
          },
        });
      }),
    ),
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
  'retry that waits': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const retry = { maxAttempts: 3, initialMillis: 60_000, maxMillis: HOUR };
        ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'call', retry, call: oneFailure('call', effect) })));
      }),
    ),
  'large values': (effect) => ({
    agent: golden().addAction('act', EventType.InputEvent, async (event, ctx) => {
      const { text } = event.input as { readonly text: string };
      const large = await ctx.durableExecute({
        id: 'large',
        call: () => {
          effect('large');
          return text.repeat(50);
        },
      });
      ctx.sendEvent(OutputEvent(large.length));
    }),
    requests: [request({ text: 'x'.repeat(2_000) })],
  }),
  'values of every kind': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const values = await ctx.durableExecute({
          id: 'values',
          call: () => {
            effect('values');
            return {
              numbers: [Number.NaN, Number.NEGATIVE_INFINITY, -0, 2n ** 70n],
              none: [undefined, null],
              date: new Date(0),
              map: new Map([['a', new Set([1])]]),
              bytes: new Uint8Array([0, 255]),
              $: 'a member of that name',
            };
          },
        });
        const { numbers, none, date, map, bytes, $ } = values;
        const kinds = [...numbers.map(String), Object.is(numbers[2], -0), ...none.map(String)];
        ctx.sendEvent(OutputEvent([kinds, date.toISOString(), [...(map.get('a') ?? [])], [...bytes], $]));
      }),
    ),
  branches: (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const call = (id: string) =>
          ctx.durableExecute({
            id,
            call: () => {
              effect(id);
              if (id === 'bad') throw new TypeError('of no use');
              return id;
            },
          });
        const chain = async () => [await call('first'), await call('second')];
        const ends = await Promise.allSettled([chain(), call('bad'), call('twice'), call('twice')]);
        ctx.sendEvent(OutputEvent(ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))));
      }),
    ),
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
      .addAction('goes on', EventType.InputEvent, async (event, ctx) => {
        const { n } = event.input as { readonly n: number };
        await ctx.durableExecute({ id: `note ${n}`, call: () => effect(`note ${n}`) });
        ctx.shortTermMemory.set('count', 10 * n);
        ctx.shortTermMemory.set('other', new Date(n));
        ctx.sendEvent(OutputEvent((await ctx.shortTermMemory.get('count', z.number())) ?? null));
      }),
    requests: [1, 2].map((n) => request({ n }, { requestId: `r${n}`, key: 'k' })),
  }),
  'an action that throws': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({ id: 'note', call: () => effect('note') });
        throw new Error('a fault outside of any call');
      }),
    ),
  'a run that is redriven': (effect, now) => {
    const start = now();
    return {
      agent: golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({ id: 'good', call: () => effect('good') });
        const call = () => {
          effect('mended');
          if (now() < start + HOUR / 2) throw new Error('not mended yet');
          return 'mended';
        };
        ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'mended', call })));
      }),
      requests: [request({ n: 1 }), { body: { redrive: { requestId: 'r' } }, group: 'other', afterMillis: HOUR }],
    };
  },
  diff_report: () => demo(diffReport, 'diff-report'),
  code_review: () => demo(codeReview, 'code-review'),
  ...REMOTE_PROGRAMS,
};

const sample = (agent: string): string => readFileSync(join(import.meta.dirname, `inputs/${agent}.diff`), 'utf8');

const demo = (agent: AgentDefinition, folder: string): GoldenProgram => ({
  agent,
  requests: [{ body: { agent: agent.name, requestId: 'r', key: 'pr-7', input: { diff: sample(folder) } } }],
});

/** A call that fails once, in all its drives together. */
function oneFailure(id: string, effect: Effect): () => string {
  let failed = failures.get(effect)?.has(id) ?? false;
  return () => {
    if (!failed) {
      failed = true;
      failures.set(effect, new Set([...(failures.get(effect) ?? []), id]));
      throw new Error(`${id} failed`);
    }
    effect(id);
    return id;
  };
}
const failures = new WeakMap<Effect, ReadonlySet<string>>();
