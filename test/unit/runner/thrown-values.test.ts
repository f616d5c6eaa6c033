import { AgentError, CallInterruptedError, defineAgent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { itemBytes } from '../../../lib/testing/item-size.ts';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';

class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly code = 'CARD_REFUSED';
  readonly attempt = 2;
}

const cyclic = (): Error => {
  const error: Error & { self?: unknown } = new Error('goes round', { cause: undefined });
  error.self = error;
  error.cause = error;
  return error;
};

const nested = (): Error =>
  new Error('top', { cause: new TypeError('middle', { cause: new Error('low', { cause: 'bottom' }) }) });

const throwingGetters = (): object =>
  Object.defineProperties(new Error('seen'), {
    message: { get: () => fail('message') },
    code: { get: () => fail('code'), enumerable: true },
    cause: { get: () => fail('cause') },
  });

const throwingProxy = (): object =>
  new Proxy(new Error('behind a proxy'), {
    get: () => fail('get'),
    getPrototypeOf: () => fail('getPrototypeOf'),
    ownKeys: () => fail('ownKeys'),
    has: () => fail('has'),
    getOwnPropertyDescriptor: () => fail('getOwnPropertyDescriptor'),
  });

const revokedProxy = (): object => {
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
  revoke();
  return proxy;
};

function fail(what: string): never {
  throw new Error(`the ${what} trap throws`);
}

const hostile: readonly (readonly [string, () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a text', () => 'out of paper'],
  ['an empty text', () => ''],
  ['a number', () => 42],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 10n],
  ['a symbol', () => Symbol('s')],
  ['a function', () => () => {}],
  ['a frozen object', () => Object.freeze({ reason: 'frozen' })],
  ['a frozen error', () => Object.freeze(new RangeError('frozen'))],
  [
    'an object that contains itself',
    () => {
      const loop: Record<string, unknown> = {};
      loop.loop = loop;
      return loop;
    },
  ],
  ['an object without a prototype', () => Object.create(null)],
  ['a custom error', () => new PaymentError('refused')],
  ['an error that contains itself', cyclic],
  ['a chain of causes', nested],
  ['an aggregate of two', () => new AggregateError([new Error('one'), 'two'], 'both')],
  [
    'an aggregate of 100 aggregates',
    () =>
      new AggregateError(
        Array.from(
          { length: 100 },
          () => new AggregateError(Array.from({ length: 100 }, () => new Error('x'.repeat(10_000)))),
        ),
      ),
  ],
  ['a message of 1 MB', () => new Error('é'.repeat(500_000))],
  ['an error with a message that is no text', () => Object.assign(new Error('x'), { message: { no: 'text' } })],
  ['an error with a strange name', () => Object.assign(new Error('x'), { name: 'constructor' })],
  ['an error named by half a surrogate pair', () => Object.assign(new Error('a\ud800'), { name: '\udfff' })],
  [
    'an error with 1,000 members',
    () =>
      Object.assign(
        new Error('x'),
        Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`member${n}`, 'y'.repeat(5_000)])),
      ),
  ],
  ['an error with throwing getters', throwingGetters],
  ['a proxy that throws', throwingProxy],
  ['a revoked proxy', revokedProxy],
  ['a promise', () => Promise.resolve(1)],
];

describe.each(hostile)('%s', (what, make) => {
  it('thrown by an action fails the attempts and then the run, with a readable message', async () => {
    const unhandled = collectUnhandledRejections();
    let attempts = 0;
    const thrower = defineAgent({ name: 'thrower' }).addAction('throw', EventType.InputEvent, async () => {
      attempts += 1;
      throw make();
    });
    const runtime = testRuntime([thrower]);
    const result = await runtime.run('thrower', null);
    expect(result.status).toBe('FAILED');
    expect(attempts).toBe(5);
    const message = JSON.parse(runtime.deployment.outputs.delivered.at(-1)?.body ?? '{}');
    expect(message).toMatchObject({
      status: 'FAILED',
      error: { name: expect.any(String), message: expect.any(String) },
    });
    if (what !== 'an error with throwing getters' && what !== 'an error with a message that is no text')
      expect(message.error.message).not.toBe('');
    expect(JSON.stringify(message).length).toBeLessThan(40_000);
    const run = runtime.deployment.items.items().find(({ sk }) => sk === 'RUN');
    expect(itemBytes(run ?? {})).toBeLessThan(8_192);
    expect(unhandled()).toEqual([]);
  });

  it('thrown by a call is recorded once, and seen equal by the first run and a replay', async () => {
    const unhandled = collectUnhandledRejections();
    let calls = 0;
    const seen: unknown[] = [];
    const thrower = defineAgent({ name: 'thrower' }).addAction('throw', EventType.InputEvent, async (_event, ctx) => {
      try {
        await ctx.durableExecute({
          id: 'throws',
          call: () => {
            calls += 1;
            throw make();
          },
        });
      } catch (error) {
        seen.push(error);
        if (seen.length < 3) throw new Error('once more');
        ctx.sendEvent(OutputEvent('caught'));
      }
    });
    const runtime = testRuntime([thrower]);
    expect(await runtime.run('thrower', null)).toMatchObject({ status: 'COMPLETED', outputs: ['caught'] });
    expect(calls).toBe(1);
    expect(seen).toHaveLength(3);
    expect(describeFully(seen[1])).toEqual(describeFully(seen[0]));
    expect(describeFully(seen[2])).toEqual(describeFully(seen[0]));
    expect(unhandled()).toEqual([]);
  });

  it('thrown by a call and not caught fails the run at once', async () => {
    let attempts = 0;
    const thrower = defineAgent({ name: 'thrower' }).addAction('throw', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      await ctx.durableExecute({ id: 'throws', call: () => Promise.reject(make()) });
    });
    expect(await testRuntime([thrower]).run('thrower', null)).toMatchObject({ status: 'FAILED' });
    expect(attempts).toBe(1);
  });
});

/** Everything of an error that code may branch on. */
function describeFully(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return { value: thrown };
  const { name, message, cause, ...members } = thrown;
  const errors = thrown instanceof AggregateError ? thrown.errors.map(describeFully) : undefined;
  return {
    class: Object.getPrototypeOf(thrown),
    name: thrown.name ?? name,
    message: thrown.message ?? message,
    cause: thrown.cause === undefined ? cause : describeFully(thrown.cause),
    errors,
    members,
  };
}

describe('a replayed error', () => {
  const seenBy = async (make: () => unknown): Promise<unknown> => {
    let seen: unknown;
    const agent = defineAgent({ name: 'thrower' }).addAction('throw', EventType.InputEvent, async (_event, ctx) => {
      seen = await ctx
        .durableExecute({ id: 'throws', call: () => Promise.reject(make()) })
        .catch((error: unknown) => error);
    });
    await testRuntime([agent]).run('thrower', null);
    return seen;
  };

  it('keeps the public class', async () => {
    expect(await seenBy(() => new TerminalError('stop'))).toBeInstanceOf(TerminalError);
    expect(await seenBy(() => new CallInterruptedError('stop'))).toBeInstanceOf(CallInterruptedError);
    expect(await seenBy(() => new AgentError('INVALID_CALL', 'stop'))).toMatchObject({ code: 'INVALID_CALL' });
    expect(await seenBy(() => new SyntaxError('stop'))).toBeInstanceOf(SyntaxError);
  });

  it('of a class of the author keeps name, code and members', async () => {
    const error = await seenBy(() => new PaymentError('refused'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'PaymentError', message: 'refused', code: 'CARD_REFUSED', attempt: 2 });
  });

  it('keeps its causes', async () => {
    const middle = { name: 'TypeError', message: 'middle', cause: { message: 'low', cause: 'bottom' } };
    expect(await seenBy(nested)).toMatchObject({ message: 'top', cause: middle });
  });
});
