import { defineAgent, defineEvent, EventType, OutputEvent, type RunnerContext } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';
import { DAY, SECOND } from './support/wait-programs.ts';

const profiles = [{}, { 'run.stay-millis': 0 }];

/** Runs one action once. */
async function act(body: (ctx: RunnerContext) => unknown, config: object = {}) {
  const agent = defineAgent({ name: 'acts' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    await body(ctx as RunnerContext);
  });
  const runtime = testRuntime([agent], { config: { 'run.max-attempts': 1, ...config } });
  const start = runtime.deployment.clock.now();
  const result = await runtime.run('acts', null);
  return { ...result, runtime, elapsed: runtime.deployment.clock.now() - start };
}

/** What a method threw, at once and not as a rejection. */
function thrownBy(method: () => unknown): unknown {
  try {
    return { returned: method() };
  } catch (error) {
    return error;
  }
}

describe('how long to wait', () => {
  it.each([0, 0.4, 1, 1_500, 2_001, DAY])('may be %s ms', async (millis) => {
    for (const config of profiles) {
      const { status, elapsed } = await act((ctx) => ctx.sleep(millis), config);
      expect(status).toBe('COMPLETED');
      expect(elapsed).toBeGreaterThanOrEqual(millis);
      expect(elapsed).toBeLessThanOrEqual(millis + 61 * SECOND);
    }
  });

  it.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e12,
    366 * DAY,
    '100',
    10n,
    null,
    undefined,
    Object.create(null),
    Symbol('s'),
  ])('cannot be %s', async (millis) => {
    const unhandled = collectUnhandledRejections();
    let thrown: unknown;
    const { status } = await act((ctx) => {
      thrown = thrownBy(() => ctx.sleep(millis as number));
    });
    expect(thrown).toMatchObject({ code: 'INVALID_CALL', message: expect.stringContaining('sleep was told to wait') });
    expect(status).toBe('COMPLETED');
    expect(unhandled()).toEqual([]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e12, '100', null])(
    'cannot be %s for a signal',
    async (timeoutMillis) => {
      let thrown: unknown;
      await act((ctx) => {
        thrown = thrownBy(() => ctx.waitForSignal('go', { timeoutMillis: timeoutMillis as number }));
      });
      expect(thrown).toMatchObject({ code: 'INVALID_CALL', message: expect.stringContaining('waitForSignal') });
    },
  );

  it('is 0 for a signal: it is there or not', async () => {
    for (const config of profiles) {
      const agent = defineAgent({ name: 'peeks' }).addAction('peek', EventType.InputEvent, async (_event, ctx) => {
        const peek = async () => (await ctx.waitForSignal('go', { timeoutMillis: 0 })) ?? 'none';
        ctx.sendEvent(OutputEvent([await peek(), await peek()]));
      });
      const request = { signals: [{ name: 'go', value: 1 }] };
      expect(await testRuntime([agent], { config }).run('peeks', null, request)).toMatchObject({
        outputs: [[1, 'none']],
      });
    }
  });
});

describe('the other options', () => {
  it.each<readonly [string, (ctx: RunnerContext) => unknown]>([
    ['an unknown option of sleep', (ctx) => ctx.sleep(1, { name: 'x' } as object)],
    ['options of sleep that are none', (ctx) => ctx.sleep(1, 'x' as never)],
    ['an empty id', (ctx) => ctx.sleep(1, { id: '' })],
    ['an id that is too long', (ctx) => ctx.sleep(1, { id: 'x'.repeat(129) })],
    ['a name that is no text', (ctx) => ctx.waitForSignal(7 as never)],
    ['an empty name', (ctx) => ctx.waitForSignal('')],
    ['a name that is too long', (ctx) => ctx.waitForSignal('x'.repeat(129))],
    ['a schema that is none', (ctx) => ctx.waitForSignal('x', { schema: {} as never })],
    ['an unknown option of waitForSignal', (ctx) => ctx.waitForSignal('x', { timeout: 1 } as object)],
  ])('refuse %s at once', async (_name, method) => {
    let thrown: unknown;
    const { status } = await act((ctx) => {
      thrown = thrownBy(() => method(ctx));
    });
    expect(thrown).toMatchObject({ code: 'INVALID_CALL' });
    expect(status).toBe('COMPLETED');
  });
});

describe('where a wait may stand', () => {
  it.each(['sleep', 'waitForSignal'] as const)('not inside a durable call: %s', async (method) => {
    const { error } = await act((ctx) =>
      ctx.durableExecute({ id: 'outer', call: () => (method === 'sleep' ? ctx.sleep(1) : ctx.waitForSignal('go')) }),
    );
    expect(error).toMatchObject({
      code: 'CALL_OUTSIDE_ACTION',
      message: expect.stringContaining(`${method} was used inside durable call "outer"`),
    });
  });

  it('not after its action has ended', async () => {
    const next = defineEvent('next', z.object({}));
    const kept: RunnerContext[] = [];
    const thrown: unknown[] = [];
    const agent = defineAgent({ name: 'late' })
      .addAction('first', EventType.InputEvent, (_event, ctx) => {
        kept.push(ctx as RunnerContext);
        ctx.sendEvent(next({}));
      })
      .addAction('second', next, () => {
        thrown.push(
          thrownBy(() => kept[0]?.sleep(1)),
          thrownBy(() => kept[0]?.waitForSignal('go')),
        );
      });
    expect(await testRuntime([agent]).run('late', null)).toMatchObject({ status: 'COMPLETED' });
    expect(thrown).toMatchObject([{ code: 'CALL_OUTSIDE_ACTION' }, { code: 'CALL_OUTSIDE_ACTION' }]);
  });

  it.each<readonly [string, string, (ctx: RunnerContext) => unknown]>([
    ['a sleep', 'sleep', (ctx) => ctx.sleep(1)],
    ['a long sleep', 'rest', (ctx) => ctx.sleep(DAY, { id: 'rest' })],
    ['a wait for a signal', 'go', (ctx) => ctx.waitForSignal('go')],
    ['a wait for a signal with a schema', 'go', (ctx) => ctx.waitForSignal('go', { schema: z.number() })],
  ])('not unawaited at the end of its action: %s', async (_name, id, method) => {
    const unhandled = collectUnhandledRejections();
    const { status, error } = await act((ctx) => {
      method(ctx);
    });
    expect(status).toBe('FAILED');
    expect(error).toMatchObject({ code: 'UNAWAITED_CALL', message: expect.stringContaining(`"${id}"`) });
    expect(unhandled()).toEqual([]);
  });

  it('may be handed to a combinator, and lose', async () => {
    const { status, elapsed } = await act(async (ctx) => {
      await Promise.race([ctx.sleep(DAY), ctx.durableExecute({ id: 'quick', call: () => 1 })]);
    });
    expect(status).toBe('COMPLETED');
    expect(elapsed).toBeLessThan(SECOND);
  });
});

describe('a value that the schema refuses', () => {
  it('rejects later than it is awaited, without an unhandled rejection', async () => {
    const unhandled = collectUnhandledRejections();
    const agent = defineAgent({ name: 'picky' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = ctx.waitForSignal('go', { schema: z.number() });
      await ctx.sleep(DAY);
      ctx.sendEvent(OutputEvent(await answer.catch((error: { readonly code: string }) => error.code)));
    });
    const result = await testRuntime([agent]).run('picky', null, { signals: [{ name: 'go', value: 'no' }] });
    expect(result).toMatchObject({ status: 'COMPLETED', outputs: ['INVALID_SIGNAL'] });
    expect(unhandled()).toEqual([]);
  });

  it('fails the run at once when nobody catches it: another attempt would see it again', async () => {
    const agent = defineAgent({ name: 'picky' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.waitForSignal('go', { schema: z.number() });
    });
    const runtime = testRuntime([agent]);
    const result = await runtime.run('picky', null, { signals: [{ name: 'go', value: 'no' }] });
    expect(result).toMatchObject({ status: 'FAILED', error: { code: 'INVALID_SIGNAL' } });
    expect(runtime.deployment.drives).toHaveLength(1);
  });

  it('is told by a schema that throws, too', async () => {
    const schema = z.string().transform((text) => {
      throw new Error(`cannot read ${text}`);
    });
    const agent = defineAgent({ name: 'broken' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      await ctx.waitForSignal('go', { schema }).catch((error: Error) => ctx.sendEvent(OutputEvent(error.message)));
    });
    const result = await testRuntime([agent]).run('broken', null, { signals: [{ name: 'go', value: 'x' }] });
    expect(result).toMatchObject({ status: 'COMPLETED', outputs: ['cannot read x'] });
  });

  it('is changed by a schema that changes values, first time and on replay', async () => {
    const agent = defineAgent({ name: 'changes' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.waitForSignal('go', { schema: z.object({ at: z.string().transform(Number) }) });
      await ctx.sleep(DAY);
      ctx.sendEvent(OutputEvent(answer?.at));
    });
    const request = { signals: [{ name: 'go', value: { at: '7', more: 1 } }] };
    expect(await testRuntime([agent]).run('changes', null, request)).toMatchObject({ outputs: [7] });
  });
});
