// What the golden journals were recorded with. A program is never changed: a new behaviour is a new program.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentDefinition, defineAgent, defineEvent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted } from 'lambda-agents/testing';
import * as z from 'zod';
import { codeReview } from '../../functions/agents/code-review.ts';
import { diffReport } from '../../functions/agents/diff-report.ts';
import type { SubagentScript } from '../../lib/testing/scripted.ts';
import { Remote } from '../unit/subagents/support/remote.ts';

export interface GoldenRequest {
  readonly body: object;
  /** @default one group for all */
  readonly group?: string;
  /** Milliseconds after the beginning. @default 0 */
  readonly afterMillis?: number;
}

export interface GoldenProgram {
  readonly agent: AgentDefinition;
  readonly requests: readonly GoldenRequest[];
  readonly subagents?: Readonly<Record<string, SubagentScript>>;
}

/** Tells that the body of a call ran. */
export type Effect = (id: string) => void;

const HOUR = 3_600_000;
const request = (input: unknown, more: object = {}): GoldenRequest => ({
  body: { agent: 'golden', requestId: 'r', input, ...more },
});
const one = (agent: AgentDefinition, more: Omit<GoldenProgram, 'agent' | 'requests'> = {}): GoldenProgram => ({
  agent,
  requests: [request({ n: 1 })],
  ...more,
});
const golden = () => defineAgent({ name: 'golden' });
const sample = (agent: string): string =>
  readFileSync(resolve(import.meta.dirname, `../../functions/agents/${agent}/sample.diff`), 'utf8');

const remotes = () =>
  golden()
    .addResource('quick', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addResource('slow', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 500, timeoutMillis: 20_000 })
    .addResource('endless', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 5_000 });
const subagents = {
  quick: scripted.completesAfter(2, 'green'),
  slow: scripted.neverEnds(),
  endless: scripted.neverEnds(),
};

export const PROGRAMS: Readonly<Record<string, (effect: Effect) => GoldenProgram>> = {
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
          await ctx.durableExecute({ id: 'add', call: () => effect('') });
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
  'remote job': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const answer = await ctx.getResource('quick', ResourceType.AGENT).submit(event.input, { sessionId: 's' });
        ctx.sendEvent(OutputEvent(answer.result));
      }),
      { subagents },
    ),
  'remote jobs in parallel': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const quick = ctx.getResource('quick', ResourceType.AGENT);
        const slow = ctx.getResource('slow', ResourceType.AGENT).submit(event.input);
        const answers = await Promise.all([quick.submit(event.input), quick.submit(event.input), slow]);
        ctx.sendEvent(OutputEvent(answers.map(({ result, errorMessage }) => result ?? errorMessage)));
      }),
      { subagents },
    ),
  'remote race': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const slow = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
        const quick = ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
        const given = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
        given.cancel();
        ctx.sendEvent(OutputEvent((await Promise.race([slow, quick])).result));
      }),
      { subagents },
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
  diff_report: () => demo(diffReport, 'diff-report'),
  code_review: () => demo(codeReview, 'code-review'),
};

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
