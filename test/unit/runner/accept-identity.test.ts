import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { AcceptBench } from './support/accept-bench.ts';

const DAY = 86_400_000;
/** Age and retention together: how long the record of a run lives by default. */
const LIFE = 44 * DAY;

let calls = 0;
const counter = defineAgent({ name: 'counter' }).addAction('count', EventType.InputEvent, async (event, ctx) => {
  const call = await ctx.durableExecute({
    id: 'count',
    call: () => {
      calls += 1;
      return calls;
    },
  });
  ctx.sendEvent(OutputEvent({ call, input: event.input }));
});
const other = defineAgent({ name: 'other' }).addAction('nothing', EventType.InputEvent, () => {});
const newBench = () => {
  calls = 0;
  return new AcceptBench([counter, other]);
};

const LARGE = 'x'.repeat(100_000);
const request = (more: object = {}) => ({ agent: 'counter', requestId: 'r', input: 1, ...more });

describe('one requestId', () => {
  it.each([
    ['a run without a key', {}],
    ['a run with a key', { key: 'k' }],
    ['a run whose input stands apart', { input: LARGE }],
  ])('sent ten times, minutes and weeks apart, is %s', async (_name, more) => {
    const bench = newBench();
    for (const wait of [0, 0, 1, 1_000, 6 * 60_000, 3_600_000, DAY, 7 * DAY, 14 * DAY, 20 * DAY]) {
      bench.clock.advanceBy(wait);
      expect(await bench.accept(request(more))).toMatchObject({ kind: 'accepted', runId: 'r' });
      await bench.driveAll();
    }
    expect(calls).toBe(1);
    expect(bench.runIds()).toEqual(['r']);
    expect(bench.received()).toHaveLength(2);
    expect(bench.deadLetters.sent).toEqual([]);
  });

  it('sent ten times before anything runs is one run, woken each time until it is driven', async () => {
    const bench = newBench();
    const { results } = await bench.acceptAll(Array.from({ length: 10 }, () => bench.message(request())));
    expect(results.map(({ result }) => result)).toEqual([
      { kind: 'accepted', runId: 'r', again: false },
      ...new Array(9).fill({ kind: 'accepted', runId: 'r', again: true }),
    ]);
    expect(bench.wakes.sent).toHaveLength(10);
    await bench.driveAll();
    expect(calls).toBe(1);
  });

  it('sent in ten groups at once is one run', async () => {
    const bench = newBench();
    const messages = Array.from({ length: 10 }, (_, n) =>
      bench.message(request({ key: 'k', input: LARGE }), `group-${n}`),
    );
    const { results, failures } = await bench.acceptAll(messages);
    expect(failures).toEqual([]);
    expect(results.map(({ result }) => result.kind)).toEqual(new Array(10).fill('accepted'));
    await bench.driveAll();
    expect(calls).toBe(1);
    expect(bench.received()).toHaveLength(2);
  });

  it('of a run that ended is answered without a wake', async () => {
    const bench = newBench();
    await bench.accept(request());
    await bench.driveAll();
    const before = bench.wakes.sent.length;
    expect(await bench.accept(request())).toEqual({ kind: 'accepted', runId: 'r', again: true });
    expect(bench.wakes.sent).toHaveLength(before);
  });

  it('is the same request when the members of its input come in another order, or with another traceparent', async () => {
    const bench = newBench();
    await bench.accept({ agent: 'counter', requestId: 'r', key: 'k', input: { a: 1, b: { c: 2, d: 3 } } });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const again = { input: { b: { d: 3, c: 2 }, a: 1 }, traceparent, key: 'k', requestId: 'r', agent: 'counter' };
    expect(await bench.accept(again)).toMatchObject({ kind: 'accepted', again: true });
  });

  it.each([
    ['another input', { input: 2 }],
    ['an input that only looks alike', { input: '1' }],
    ['a large input instead', { input: LARGE }],
    ['a key', { key: 'k' }],
    ['another agent', { agent: 'other' }],
  ])('with %s is refused and harms the run with that id in nothing', async (_name, more) => {
    const bench = newBench();
    await bench.accept(request());
    expect(await bench.accept(request(more))).toEqual({
      kind: 'refused',
      reason: 'REQUEST_ID_REUSED',
      detail:
        'The request id "r" belongs to a request with another agent, key or input. Send this one with an id of its own.',
    });
    expect(bench.items.items().map(({ sk }) => sk)).toEqual(['RUN']);
    await bench.driveAll();
    expect(bench.received()).toMatchObject([{ output: { call: 1, input: 1 } }, { status: 'COMPLETED' }]);
    expect(await bench.accept(request(more))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
  });

  it('with another large input is refused, whichever of the two is recorded first', async () => {
    const bench = newBench();
    await bench.accept(request({ input: LARGE }));
    expect(await bench.accept(request({ input: `${LARGE}!` }))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    expect(await bench.accept(request({ input: 1 }))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    await bench.driveAll();
    expect(bench.received()).toMatchObject([{ output: { input: LARGE } }, { status: 'COMPLETED' }]);
  });
});

it('a record that is deleted while its request comes again is not taken for one that is there', async () => {
  const bench = newBench();
  const message = bench.message(request());
  const vanishing = { ...bench.ports, items: Object.create(bench.items) as typeof bench.items };
  vanishing.items.put = async () => ({ kind: 'refused', item: undefined });
  await expect(bench.deliver(message, vanishing)).rejects.toThrow('Run r was deleted while its request came again.');
  expect(bench.wakes.sent).toEqual([]);
  expect(await bench.deliver(message)).toMatchObject({ kind: 'accepted', again: false });
});

describe('without a requestId', () => {
  it('the message id serves, so that equal inputs are runs of their own', async () => {
    const bench = newBench();
    const message = bench.message({ agent: 'counter', input: 1 });
    expect(await bench.deliver(message)).toMatchObject({ runId: message.messageId, again: false });
    expect(await bench.deliver(message)).toMatchObject({ runId: message.messageId, again: true });
    expect(await bench.accept({ agent: 'counter', input: 1 })).toMatchObject({ again: false });
    expect(bench.runIds()).toHaveLength(2);
  });
});

describe('a requestId whose record has expired, but lies there still', () => {
  it.each([
    ['the same request', {}, {}],
    ['another input', {}, { input: 2 }],
    ['the same large input', { input: LARGE }, { input: LARGE }],
    ['another large input', { input: LARGE }, { input: `${LARGE}!` }],
    ['a small input instead of a large one', { input: LARGE }, { input: 2 }],
    ['a large input instead of a small one', {}, { input: LARGE }],
    ['a key', {}, { key: 'k' }],
    ['another agent', {}, { agent: 'other' }],
  ])('starts a clean run: %s', async (_name, first, second) => {
    const bench = newBench();
    await bench.accept(request(first));
    await bench.driveAll();
    bench.clock.advanceBy(LIFE + 2_000);
    expect(await bench.accept(request(second))).toEqual({ kind: 'accepted', runId: 'r', again: false });
    await bench.driveAll();
    const { agent, input } = request(second);
    const outputs = agent === 'counter' ? [{ requestId: 'r', output: { call: 2, input } }] : [];
    expect(bench.received().slice(2)).toMatchObject([...outputs, { requestId: 'r', status: 'COMPLETED' }]);
    expect(calls).toBe(agent === 'counter' ? 2 : 1);
  });

  it('keeps the input of the new run for as long as the new run lives', async () => {
    const bench = newBench();
    await bench.accept(request({ input: LARGE }));
    await bench.driveAll();
    bench.clock.advanceBy(LIFE + 2_000);
    await bench.accept(request({ input: LARGE }));
    const ttlOf = (sk: string) => Number(bench.items.items().find((item) => item.sk === sk)?.ttl);
    expect(ttlOf('INPUT')).toBeGreaterThanOrEqual(ttlOf('RUN'));
  });

  it('is still the old run a second before', async () => {
    const bench = newBench();
    await bench.accept(request());
    await bench.driveAll();
    bench.clock.advanceBy(LIFE - 1_000);
    expect(await bench.accept(request({ input: 2 }))).toMatchObject({ reason: 'REQUEST_ID_REUSED' });
    expect(await bench.accept(request())).toMatchObject({ kind: 'accepted', again: true });
    await bench.driveAll();
    expect(calls).toBe(1);
  });
});

describe('the record of a run', () => {
  it.each([
    ['a small input', 1],
    ['an input that only just fits', 'x'.repeat(400)],
    ['a large input', LARGE],
    ['an input of four-byte characters', '😀'.repeat(300)],
  ])('takes one write unit: %s', async (_name, input) => {
    const bench = newBench();
    const ids = { requestId: 'r'.repeat(128), key: 'k'.repeat(128) };
    await bench.accept(request({ ...ids, input }));
    const run = bench.items.items().find((item) => item.sk === 'RUN');
    const bytes = Object.entries(run ?? {}).reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
      0,
    );
    expect(bytes).toBeLessThan(1_024);
  });

  it.each(['RUN', 'INPUT', 'HEAD'])('has an expiry in whole seconds after the end of its life: %s', async (sk) => {
    const bench = newBench();
    const now = bench.clock.now();
    await bench.accept(request({ key: 'k', input: LARGE }));
    const ttl = Number(bench.items.items().find((item) => item.sk === sk)?.ttl);
    expect(Number.isInteger(ttl)).toBe(true);
    expect(ttl * 1_000).toBeGreaterThanOrEqual(now + LIFE);
    // An input may be stored some deliveries before its run: a message lives 14 days.
    expect(ttl * 1_000).toBeLessThanOrEqual(now + LIFE + 14 * DAY);
  });
});
