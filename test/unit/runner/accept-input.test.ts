import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AcceptBench } from './support/accept-bench.ts';

class Money {
  readonly cents = 5;
}

/** What an action sees of an input, in a deployment of one agent with that schema. */
async function seen(input: z.ZodType | undefined, sent: unknown): Promise<unknown> {
  let event: unknown = 'nothing ran';
  const agent = defineAgent({ name: 'a', ...(input === undefined ? {} : { input }) }).addAction(
    'look',
    EventType.InputEvent,
    ({ input: given }) => {
      event = given;
    },
  );
  const bench = new AcceptBench([agent]);
  expect(await bench.accept({ agent: 'a', input: sent })).toMatchObject({ kind: 'accepted' });
  await bench.driveAll();
  return event;
}

async function refusal(input: z.ZodType, sent: unknown, config = {}): Promise<string> {
  const agent = defineAgent({ name: 'a', input, config }).addAction('look', EventType.InputEvent, () => {});
  const bench = new AcceptBench([agent]);
  const result = await bench.accept({ agent: 'a', requestId: 'r', input: sent });
  expect(result).toMatchObject({ kind: 'refused', reason: 'INVALID_INPUT' });
  expect(bench.items.items()).toEqual([]);
  expect(bench.wakes.sent).toEqual([]);
  return result.kind === 'refused' ? result.detail : '';
}

describe('an action sees the input as the schema makes it', () => {
  it.each([
    ['a date', z.coerce.date(), '2026-01-01T00:00:00Z', new Date(Date.UTC(2026, 0, 1))],
    ['a bigint', z.coerce.bigint(), '12345678901234567890', 12345678901234567890n],
    ['a default', z.object({ a: z.number().default(5) }), {}, { a: 5 }],
    ['an optional member that is missing', z.object({ a: z.string().optional() }), {}, {}],
    ['no members that the schema does not know', z.object({ a: z.string() }), { a: 'x', b: 1 }, { a: 'x' }],
    ['a set', z.array(z.string()).transform((items) => new Set(items)), ['a', 'b', 'a'], new Set(['a', 'b'])],
    [
      'a map',
      z.record(z.string(), z.number()).transform((record) => new Map(Object.entries(record))),
      { a: 1 },
      new Map([['a', 1]]),
    ],
    [
      'bytes',
      z.base64().transform((text) => Uint8Array.from(Buffer.from(text, 'base64'))),
      'AQI=',
      new Uint8Array([1, 2]),
    ],
    ['NaN', z.string().transform(Number), 'x', Number.NaN],
    ['undefined', z.null().transform(() => undefined), null, undefined],
    ['null', z.null(), null, null],
    ['false', z.boolean(), false, false],
    ['an empty text', z.string(), '', ''],
    ['whatever an asynchronous transform gives', z.string().transform(async (text) => text.length), 'abc', 3],
    ['whatever an asynchronous refinement lets pass', z.string().refine(async (text) => text === 'abc'), 'abc', 'abc'],
    [
      'the input as it is, without a schema',
      undefined,
      { a: [1, null, { __proto: 'x' }] },
      { a: [1, null, { __proto: 'x' }] },
    ],
  ])('%s', async (_name, schema, sent, expected) => {
    expect(await seen(schema, sent)).toStrictEqual(expected);
  });

  it('as a copy of its own: what one action does to it, no other sees', async () => {
    const looks: unknown[] = [];
    const agent = defineAgent({ name: 'a', input: z.object({ list: z.array(z.number()) }) })
      .addAction('change', EventType.InputEvent, ({ input }) => void input.list.push(2))
      .addAction('look', EventType.InputEvent, ({ input }) => void looks.push(input));
    const bench = new AcceptBench([agent]);
    await bench.accept({ agent: 'a', input: { list: [1] } });
    await bench.driveAll();
    expect(looks).toEqual([{ list: [1] }]);
  });

  it.each([
    ['in the record', 10],
    ['in an item of its own', 2_000],
    ['in the payload store', 100_000],
  ])('the same, wherever it is stored: %s', async (_name, length) => {
    const text = 'ä'.repeat(length);
    expect(await seen(z.object({ at: z.coerce.date(), text: z.string() }), { at: 5, text })).toStrictEqual({
      at: new Date(5),
      text,
    });
  });
});

describe('an input is refused, and nothing is stored of it', () => {
  it('when an asynchronous refinement says so', async () => {
    const schema = z.string().refine(async () => false, 'is not known to us');
    expect(await refusal(schema, 'x')).toBe(
      'The input does not fit the schema of agent "a". Mend these values:\n✖ is not known to us',
    );
  });

  it.each([
    ['at once', z.string().transform((text) => JSON.parse(text))],
    ['later', z.string().refine(async (text) => JSON.parse(text))],
  ])('when the schema throws %s: it would throw again, and hold up its group each time', async (_name, schema) => {
    expect(await refusal(schema, '{bad')).toMatch(
      /^The input schema of agent "a" threw \(.*JSON.*\)\. Send another input, or let the schema add an issue instead\.$/,
    );
  });

  it('when the schema throws what names a secret', async () => {
    const schema = z.string().transform(() => {
      throw new Error('401 for Bearer a1b2c3d4e5');
    });
    expect(await refusal(schema, 'x')).not.toContain('a1b2c3d4e5');
  });

  it('when the schema makes a value that cannot be stored, by its path', async () => {
    const schema = z.object({ price: z.number() }).transform(() => ({ price: [new Money()] }));
    expect(await refusal(schema, { price: 5 })).toBe(
      'The input schema of agent "a" makes a value that cannot be stored. input.price[0] is an instance of Money, which cannot be stored. Give plain data.',
    );
  });

  it('when it is larger than a stored value may be, in bytes', async () => {
    expect(await refusal(z.string(), 'ä'.repeat(1_000), { 'payload.max-bytes': 1_500 })).toMatch(
      /^The input has 2002 bytes, the limit is 1500 \("payload\.max-bytes"\)\./,
    );
  });

  it('when the schema makes more of it than may be stored', async () => {
    const schema = z.number().transform((length) => 'x'.repeat(length));
    expect(await refusal(schema, 100_000, { 'payload.max-bytes': 50_000 })).toMatch(/has 100002 bytes/);
  });

  it('with the first few places that do not fit, however many there are', async () => {
    const detail = await refusal(z.array(z.string()), new Array(100).fill(1));
    expect(detail).toContain('at [0]');
    expect(detail).toContain('… and 95 more.');
    expect(detail).not.toContain('at [5]');
  });
});

it('an output is checked by the output schema of the agent', async () => {
  const agent = defineAgent({ name: 'a', output: z.string() }).addAction('bad', EventType.InputEvent, (_event, ctx) => {
    ctx.sendEvent(OutputEvent(5 as never));
  });
  const bench = new AcceptBench([agent]);
  await bench.accept({ agent: 'a', requestId: 'r', input: 1 });
  await bench.driveAll();
  expect(bench.received()).toMatchObject([{ status: 'FAILED', error: { name: 'TerminalError' } }]);
});
