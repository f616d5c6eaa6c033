import { AgentError, defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

class Instance {
  readonly a = 1;
}

/** Runs a call that gives the value; the action sees it in three attempts. */
async function seenOf(make: () => unknown, config = {}) {
  let calls = 0;
  const seen: unknown[] = [];
  const agent = defineAgent({ name: 'giver' }).addAction('give', EventType.InputEvent, async (_event, ctx) => {
    const call = () => {
      calls += 1;
      return make();
    };
    const value: unknown = await ctx.durableExecute({ id: 'give', call }).catch((error: unknown) => error);
    seen.push(value);
    if (seen.length < 3) throw new Error('once more');
  });
  const runtime = testRuntime([agent], { config });
  const result = await runtime.run('giver', null);
  return { calls, seen, result, runtime };
}

describe('what a durable call gives', () => {
  const shared = { n: 1 };
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['zero', 0],
    ['minus zero', -0],
    ['false', false],
    ['NaN', Number.NaN],
    ['an infinity', Number.NEGATIVE_INFINITY],
    ['a bigint', 2n ** 80n],
    ['2 to the 53rd', 2 ** 53],
    ['a date', new Date(0)],
    ['an invalid date', new Date(Number.NaN)],
    ['a map with a set', new Map([['s', new Set([1, 'a'])]])],
    ['bytes', new Uint8Array([0, 255])],
    ['undefined members', { d: new Date(0), u: undefined, a: shared, b: shared }],
    ['what looks like a stored value', { $: 'undefined', v: { $: 'date' } }],
    ['prototype names', JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}')],
    ['an array with holes filled', [undefined, null, [[]]]],
  ])('is the stored value, equal in the first attempt and in replays: %s', async (_what, value) => {
    const { calls, seen, result } = await seenOf(() => value);
    expect(result.status).toBe('COMPLETED');
    expect(calls).toBe(1);
    expect(seen).toStrictEqual([value, value, value]);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it('is a copy of its own: no attempt sees what another did to it', async () => {
    const made = { list: [1] };
    const { seen } = await seenOf(() => made);
    (seen[0] as typeof made).list.push(2);
    made.list.push(3);
    expect(seen[1]).toEqual({ list: [1] });
    expect(seen[0]).not.toBe(made);
  });

  it.each<[string, () => unknown]>([
    ['a class instance', () => new Instance()],
    ['a function member', () => ({ a: [{ b: () => 1 }] })],
    ['an error', () => new Error('as a value')],
    ['a symbol', () => Symbol('s')],
  ])('that has no stored form is recorded as that failure: %s', async (_what, make) => {
    const { calls, seen, result } = await seenOf(make);
    expect(result.status).toBe('COMPLETED');
    expect(calls).toBe(1);
    for (const error of seen)
      expect(error).toMatchObject({ name: 'NotSerializableError', message: expect.stringMatching(/^result/) });
  });
});

describe('large values', () => {
  // Two bytes are the quotes of the stored text.
  it.each([
    [65_533, 0],
    [65_534, 0],
    [65_535, 1],
    [399 * 1_024, 1],
    [401 * 1_024, 1],
    [5 * 1_024 * 1_024, 1],
  ])('of %i characters are stored whole, %i of them outside the table', async (length, outside) => {
    const text = 'x'.repeat(length);
    const { calls, seen, runtime } = await seenOf(() => text);
    expect(calls).toBe(1);
    expect(seen.every((value) => value === text)).toBe(true);
    expect(runtime.deployment.payloads.keys()).toHaveLength(outside);
  });

  it('are measured in bytes, not in characters', async () => {
    const { seen, runtime } = await seenOf(() => '€'.repeat(22_000));
    expect(seen).toHaveLength(3);
    expect(runtime.deployment.payloads.keys()).toHaveLength(1);
  });

  it('above the maximum fail their call, once and for all', async () => {
    const { calls, seen, result } = await seenOf(() => 'x'.repeat(70_000), { 'payload.max-bytes': 70_000 });
    expect(result.status).toBe('COMPLETED');
    expect(calls).toBe(1);
    const error = {
      name: 'TerminalAgentError',
      code: 'PAYLOAD_TOO_LARGE',
      message:
        'The result of durable call "give" has 70002 bytes, the limit is 70000 ("payload.max-bytes"). Store it elsewhere and pass a reference.',
    };
    for (const value of seen) {
      expect(value).toBeInstanceOf(AgentError);
      expect(value).toMatchObject(error);
    }
  });

  it('above the maximum end the run when nobody catches that', async () => {
    let calls = 0;
    const agent = defineAgent({ name: 'large' }).addAction('give', EventType.InputEvent, async (_event, ctx) => {
      const make = () => {
        calls += 1;
        return 'x'.repeat(2_000);
      };
      await ctx.durableExecute({ id: 'give', call: make, reconcile: (call) => call() });
    });
    const runtime = testRuntime([agent], { config: { 'payload.max-bytes': 1_000 } });
    expect(await runtime.run('large', null)).toMatchObject({ status: 'FAILED', error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(calls).toBe(1);
  });

  it('that an action emits are stored outside too, and a run over the maximum is FAILED at once', async () => {
    const big = defineEvent('big', z.object({ text: z.string() }));
    const agent = defineAgent({ name: 'emitter', input: z.number(), output: z.number() })
      .addAction('emit', EventType.InputEvent, (event, ctx) => ctx.sendEvent(big({ text: 'x'.repeat(event.input) })))
      .addAction('measure', big, (event, ctx) => ctx.sendEvent(OutputEvent(event.attributes.text.length)));
    const runtime = testRuntime([agent], { config: { 'payload.max-bytes': 200_000 } });
    expect(await runtime.run('emitter', 100_000)).toMatchObject({ status: 'COMPLETED', outputs: [100_000] });
    expect(runtime.deployment.payloads.keys()).toHaveLength(1);
    const drives = runtime.deployment.drives.length;
    expect(await runtime.run('emitter', 200_000)).toMatchObject({
      status: 'FAILED',
      error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('What action "emit" emitted has') },
    });
    expect(runtime.deployment.drives).toHaveLength(drives + 1);
    await runtime.survivesEveryCrash('emitter', 100_000);
  });

  it('of the payload store that are gone fail the attempts, then the run, saying so', async () => {
    let attempts = 0;
    const agent = defineAgent({ name: 'lost' }).addAction('give', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      const text = await ctx.durableExecute({ id: 'give', call: () => 'x'.repeat(70_000) });
      if (text.length > 0) throw new Error('once more');
    });
    const runtime = testRuntime([agent]);
    const { payloads } = runtime.deployment;
    const get = payloads.get.bind(payloads);
    payloads.get = (reference) => (attempts > 1 ? get({ ...reference, key: 'gone' }) : get(reference));
    expect(await runtime.run('lost', null)).toMatchObject({ status: 'FAILED', error: { code: 'PAYLOAD_MISSING' } });
  });

  it('300 calls of 2 KB in one action are 300 small items', async () => {
    const agent = defineAgent({ name: 'many', output: z.number() }).addAction(
      'call',
      EventType.InputEvent,
      async (_event, ctx) => {
        const texts = await Promise.all(
          Array.from({ length: 300 }, (_, index) =>
            ctx.durableExecute({ id: `call-${index}`, call: () => 'x'.repeat(2_048) }),
          ),
        );
        ctx.sendEvent(OutputEvent(texts.join('').length));
      },
    );
    const runtime = testRuntime([agent]);
    expect(await runtime.run('many', null)).toMatchObject({ status: 'COMPLETED', outputs: [300 * 2_048] });
    const items = runtime.deployment.items.items().filter(({ sk }) => sk.startsWith('CALL#'));
    expect(items).toHaveLength(300);
    expect(runtime.deployment.payloads.keys()).toEqual([]);
  });
});

describe('outputs', () => {
  it('above 200 KB go out as a reference to their bytes', async () => {
    const agent = defineAgent({ name: 'out', input: z.number(), output: z.string() }).addAction(
      'out',
      EventType.InputEvent,
      (event, ctx) => {
        ctx.sendEvent(OutputEvent('é'.repeat(event.input)));
      },
    );
    const runtime = testRuntime([agent]);
    await runtime.run('out', 102_399);
    await runtime.run('out', 102_400);
    const [whole, , reference] = runtime.deployment.outputs.delivered.map(({ body }) => JSON.parse(body));
    expect(whole.output).toBe('é'.repeat(102_399));
    expect(reference.output).toEqual({
      bucket: expect.any(String),
      key: expect.any(String),
      bytes: 204_802,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.parse(await runtime.deployment.payloads.get(reference.output))).toBe('é'.repeat(102_400));
  });

  it.each<[string, () => unknown]>([
    ['undefined in a list', () => [undefined]],
    ['a date', () => ({ at: new Date(0) })],
    ['NaN', () => Number.NaN],
  ])('must be JSON: %s', async (_what, make) => {
    const agent = defineAgent({ name: 'out' }).addAction('out', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent(make()));
    });
    const result = await testRuntime([agent], { config: { 'run.max-attempts': 1 } }).run('out', null);
    expect(result).toMatchObject({
      status: 'FAILED',
      error: { code: 'NOT_SERIALIZABLE', message: expect.stringMatching(/^output/) },
    });
  });

  it('without a value are null', async () => {
    const agent = defineAgent({ name: 'out' }).addAction('out', EventType.InputEvent, (_event, ctx) => {
      ctx.sendEvent(OutputEvent(undefined));
    });
    expect(await testRuntime([agent]).run('out', null)).toMatchObject({ outputs: [null] });
  });
});
