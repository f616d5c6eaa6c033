// Programs about durable calls. None is ever changed: a new behaviour is a new program.
import { EventType, OutputEvent } from 'lambda-agents';
import { type CreateProgram, type Effect, golden, HOUR, one, request } from './golden-program.ts';

export const CALL_PROGRAMS: Readonly<Record<string, CreateProgram>> = {
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
  'an order that was seen': (effect) =>
    one(
      golden().addAction('act', EventType.InputEvent, async (_event, ctx) => {
        const seen: string[] = [];
        const call = async (id: string, waitMillis: number) => {
          const retry = { maxAttempts: 2, initialMillis: waitMillis };
          seen.push(await ctx.durableExecute({ id, retry, call: oneFailure(id, effect) }));
        };
        await Promise.all([call('late', 1_500), call('early', 500)]);
        await ctx.durableExecute({ id: `after ${seen.join(' ')}`, call: () => effect(`after ${seen.join(' ')}`) });
        await ctx.sleep(HOUR);
        ctx.sendEvent(OutputEvent(seen));
      }),
    ),
};

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
