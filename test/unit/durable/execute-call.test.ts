import { AgentError, CallTimeoutError, TerminalError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { checkCall } from '../../../lib/durable/call-options.ts';
import type { DurableCall } from '../../../lib/durable/durable-call.ts';
import { type CallOutcome, executeCall } from '../../../lib/durable/execute-call.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { skipTime } from '../../../lib/testing/skip-time.ts';
import { decodeThrown } from '../../../lib/values/error-codec.ts';
import { decodeValue } from '../../../lib/values/value-codec.ts';
import { collectUnhandledRejections } from '../runner/support/unhandled-rejections.ts';

const never = new Promise<never>(() => {});

function start(call: Omit<DurableCall<unknown>, 'id'>, recover = false) {
  const clock = new ManualClock(0);
  const giveUp = new AbortController();
  const outcome = executeCall(
    checkCall({ id: 'a', ...call }),
    { recover, callsMade: 0 },
    { clock, signal: giveUp.signal, stayMillis: Number.POSITIVE_INFINITY },
  );
  return { clock, giveUp, outcome: skipTime(clock, outcome) };
}

const run = (call: Omit<DurableCall<unknown>, 'id'>, recover = false): Promise<CallOutcome> =>
  start(call, recover).outcome;

const resultOf = (outcome: CallOutcome): unknown => {
  if (outcome.kind !== 'succeeded') throw new Error(`The call is ${outcome.kind}.`);
  return decodeValue(outcome.text);
};

const errorOf = (outcome: CallOutcome): unknown => {
  if (outcome.kind !== 'failed') throw new Error(`The call is ${outcome.kind}.`);
  return decodeThrown(outcome.text);
};

describe('a durable call without retries', () => {
  it('gives the value, awaited or not', async () => {
    expect(resultOf(await run({ call: () => 1 }))).toBe(1);
    expect(resultOf(await run({ call: async () => 2 }))).toBe(2);
    expect(resultOf(await run({ call: () => undefined }))).toBeUndefined();
  });

  it('fails with what it throws, synchronously or later', async () => {
    expect(errorOf(await run({ call: () => assertFails('at once') }))).toEqual(new RangeError('at once'));
    expect(errorOf(await run({ call: async () => assertFails('later') }))).toEqual(new RangeError('later'));
    expect(errorOf(await run({ call: () => Promise.reject('text') }))).toBe('text');
  });

  it('is made once', async () => {
    let calls = 0;
    await run({
      call: () => {
        calls += 1;
        throw new Error('no');
      },
    });
    expect(calls).toBe(1);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['a class instance', () => ({ a: [0, { b: new Remote() }] }), /^result\.a\[1\]\.b is an instance of Remote/],
    ['a function', () => ({ done: () => {} }), /^result\.done is a function/],
    ['a symbol', () => Symbol('s'), /^result is a symbol/],
    [
      'a throwing getter',
      () => ({
        get secret() {
          throw new Error('no');
        },
      }),
      /^result/,
    ],
    ['a proxy that throws', () => hostileProxy(), /^result/],
    ['a tree that is too deep', () => deep(200_000), /^result/],
  ])('records that %s has no stored form, so that the call is not made again', async (_what, make, message) => {
    const error = errorOf(await run({ call: make }));
    expect(error).toMatchObject({ name: 'NotSerializableError', code: 'NOT_SERIALIZABLE' });
    expect((error as Error).message).toMatch(message);
  });

  it('fails when its value is a thenable that throws', async () => {
    const hostile = {
      get then() {
        throw new TypeError('no then');
      },
    };
    expect(errorOf(await run({ call: () => hostile }))).toEqual(new TypeError('no then'));
  });
});

describe('a durable call with a timeout', () => {
  it('fails with CallTimeoutError and has its signal aborted', async () => {
    let reason: unknown;
    const call = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return never;
    };
    const { clock, outcome } = start({ call, timeoutMillis: 700 });
    const error = errorOf(await outcome);
    expect(error).toBeInstanceOf(CallTimeoutError);
    expect(error).toMatchObject({ message: 'Durable call "a" did not settle within 700 ms.' });
    expect(reason).toBeInstanceOf(CallTimeoutError);
    expect(clock.now()).toBe(700);
  });

  it('is limited anew in each attempt', async () => {
    let calls = 0;
    const call = () => {
      calls += 1;
      return calls === 3 ? 'third' : never;
    };
    const { clock, outcome } = start({ call, timeoutMillis: 100, retry: { maxAttempts: 3, initialMillis: 10 } });
    expect(resultOf(await outcome)).toBe('third');
    expect(clock.now()).toBe(100 + 10 + 100 + 20);
  });

  it('ignores an outcome that comes after the timeout', async () => {
    const late = Promise.withResolvers<string>();
    const outcome = await run({ call: () => late.promise, timeoutMillis: 5 });
    late.reject(new Error('too late'));
    expect(errorOf(outcome)).toBeInstanceOf(CallTimeoutError);
  });

  it('leaves no timer behind', async () => {
    const { clock, outcome } = start({ call: () => 1, timeoutMillis: 60_000 });
    await outcome;
    expect(clock.nextTimer()).toBeUndefined();
  });
});

describe('a durable call with retries', () => {
  it('waits longer before each, up to the longest wait, and fails with the last error', async () => {
    const times: number[] = [];
    const clock = new ManualClock(0);
    const call = () => {
      times.push(clock.now());
      throw new Error(`attempt ${times.length}`);
    };
    const checked = checkCall({
      id: 'a',
      call,
      retry: { maxAttempts: 5, initialMillis: 100, factor: 3, maxMillis: 500 },
    });
    const outcome = executeCall(
      checked,
      { recover: false, callsMade: 0 },
      { clock, signal: new AbortController().signal, stayMillis: Number.POSITIVE_INFINITY },
    );
    expect(errorOf(await skipTime(clock, outcome))).toEqual(new Error('attempt 5'));
    expect(times).toEqual([0, 100, 400, 900, 1_400]);
  });

  it('keeps its first wait within the longest one', async () => {
    let calls = 0;
    const call = () => {
      calls += 1;
      return calls === 2 ? calls : assertFails('no');
    };
    const { clock, outcome } = start({ call, retry: { initialMillis: 5_000, maxMillis: 50 } });
    await outcome;
    expect(clock.now()).toBe(50);
  });

  it('is not repeated after a TerminalError, nor for a value without a stored form', async () => {
    const made: string[] = [];
    const call = (outcome: () => unknown) => () => {
      made.push('call');
      return outcome();
    };
    const terminal = await run({ call: call(() => Promise.reject(new TerminalError('stop'))), retry: {} });
    expect(errorOf(terminal)).toBeInstanceOf(TerminalError);
    expect(errorOf(terminal)).toMatchObject({ message: 'stop' });
    await run({ call: call(() => Symbol('s')), retry: {} });
    expect(made).toHaveLength(2);
  });
});

describe('a reconciler', () => {
  const reconciled = (call: () => unknown, reconcile: DurableCall<unknown>['reconcile'], retry = {}) => ({
    call,
    retry: { maxAttempts: 1, ...retry },
    ...(reconcile === undefined ? {} : { reconcile }),
  });

  it('is not asked on a first run', async () => {
    expect(
      resultOf(
        await run(
          reconciled(
            () => 'made',
            () => 'found',
          ),
        ),
      ),
    ).toBe('made');
  });

  it('is asked instead of the call after an interruption', async () => {
    expect(
      resultOf(
        await run(
          reconciled(
            () => 'made',
            () => 'found',
          ),
          true,
        ),
      ),
    ).toBe('found');
  });

  it('may make the call', async () => {
    expect(
      resultOf(
        await run(
          reconciled(
            () => 'made',
            async (call) => `${await call()} by it`,
          ),
          true,
        ),
      ),
    ).toBe('made by it');
  });

  it('is asked between two attempts, since the one that failed may have had its effect', async () => {
    const asked: string[] = [];
    const call = () => {
      asked.push('call');
      throw new Error('the answer was lost');
    };
    const reconcile = () => {
      asked.push('reconciler');
      return 'found';
    };
    expect(resultOf(await run(reconciled(call, reconcile, { maxAttempts: 2 })))).toBe('found');
    expect(asked).toEqual(['call', 'reconciler']);
  });

  it.each<[string, unknown]>([
    ['an error', new Error('do not know')],
    ['a terminal error', new TerminalError('do not know')],
    ['undefined', undefined],
  ])('that throws %s is a system fault', async (_what, thrown) => {
    const fail = () => Promise.reject(thrown);
    expect(
      await run(
        reconciled(() => 1, fail, { maxAttempts: 5 }),
        true,
      ),
    ).toEqual({ kind: 'fault', error: thrown });
  });

  it('that hangs past its timeout is a system fault', async () => {
    const outcome = await run({ call: () => 1, reconcile: () => never, timeoutMillis: 10 }, true);
    expect(outcome).toMatchObject({ kind: 'fault', error: { code: 'CALL_TIMEOUT' } });
  });

  it("passes the failure of a call that it made on as the call's", async () => {
    const outcome = await run(
      reconciled(
        () => assertFails('refused'),
        (call) => call(),
      ),
      true,
    );
    expect(errorOf(outcome)).toEqual(new RangeError('refused'));
  });

  it('lets the call that it made be repeated within the budget', async () => {
    let calls = 0;
    const call = () => {
      calls += 1;
      return calls === 3 ? 'third' : assertFails('not yet');
    };
    expect(
      resultOf(
        await run(
          reconciled(call, (make) => make(), { maxAttempts: 3 }),
          true,
        ),
      ),
    ).toBe('third');
  });

  it('that throws something of its own after a failed call is a system fault', async () => {
    const reconcile = (call: () => Promise<unknown>) =>
      call().catch((cause: unknown) => Promise.reject(new AgentError('INVALID_CALL', 'cannot tell', { cause })));
    const outcome = await run(
      reconciled(() => assertFails('refused'), reconcile),
      true,
    );
    expect(outcome).toMatchObject({ kind: 'fault', error: { message: 'cannot tell' } });
  });
});

it('a call that its reconciler began and did not wait for may fail without harm', async () => {
  const unhandled = collectUnhandledRejections();
  const reconcile = (call: () => Promise<unknown>) => {
    void call();
    return 'found';
  };
  expect(resultOf(await run({ call: () => Promise.reject(new Error('late')), reconcile }, true))).toBe('found');
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(unhandled()).toEqual([]);
});

describe('a durable call that is given up', () => {
  it('is cancelled at once, whatever its body does', async () => {
    const { giveUp, outcome } = start({ call: () => never });
    giveUp.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
  });

  it('is cancelled during a wait between attempts', async () => {
    const clock = new ManualClock(0);
    const giveUp = new AbortController();
    const checked = checkCall({ id: 'a', call: () => assertFails('no'), retry: {} });
    const outcome = executeCall(
      checked,
      { recover: false, callsMade: 0 },
      { clock, signal: giveUp.signal, stayMillis: Number.POSITIVE_INFINITY },
    );
    await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
    expect(clock.nextTimer()).toBeUndefined();
  });

  it.each([false, true])('does not begin when it was given up before (recovering: %s)', async (recover) => {
    const giveUp = new AbortController();
    giveUp.abort();
    let begun = 0;
    const body = () => {
      begun += 1;
    };
    const checked = checkCall({ id: 'a', call: body, reconcile: body });
    const environment = { clock: new ManualClock(0), signal: giveUp.signal, stayMillis: 0 };
    expect(await executeCall(checked, { recover, callsMade: 0 }, environment)).toEqual({ kind: 'cancelled' });
    expect(begun).toBe(0);
  });
});

class Remote {}

function assertFails(message: string): never {
  throw new RangeError(message);
}

function hostileProxy(): object {
  const fail = (): never => assertFails('trapped');
  // `then` must be readable, or the promise itself rejects.
  return new Proxy(
    {},
    { get: (_target, name) => (name === 'then' ? undefined : fail()), getPrototypeOf: fail, ownKeys: fail },
  );
}

function deep(levels: number): unknown {
  let tree: unknown = 1;
  for (let level = 0; level < levels; level += 1) tree = { tree };
  return tree;
}
