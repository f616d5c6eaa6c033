import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { TraceRecord } from '../../../lib/ports/trace-record.ts';
import { InMemoryOutputQueue } from '../../../lib/testing/in-memory-queues.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { RunTracer } from '../../../lib/trace/run-tracer.ts';
import { DriveBench } from './support/drive-bench.ts';

const picked = defineEvent('picked', z.object({ item: z.string() }));

/** Two actions, two calls; the second action fails at its first attempt. */
function setup() {
  const state = { fails: true };
  const agent = defineAgent({ name: 'shop', input: z.string(), output: z.string() })
    .addAction('pick', EventType.InputEvent, async (event, ctx) => {
      const item = await ctx.durableExecute({ id: 'stock', call: () => event.input });
      ctx.sendEvent(picked({ item }));
    })
    .addAction('pack', picked, async (event, ctx) => {
      const box = await ctx
        .durableExecute({ id: 'box', call: () => Promise.reject(new RangeError('no box')) })
        .catch(() => 'bag');
      if (state.fails) throw new TypeError('torn');
      ctx.sendEvent(OutputEvent(`${event.attributes.item} in a ${box}`));
    });
  return { agent, state };
}

const lines = (traces: readonly TraceRecord[]) =>
  traces.map(({ entity_type, entity_name, status }) => `${entity_type} ${entity_name} ${status}`);

describe('the trace of a run', () => {
  it('has a record for each event, action and call, and marks what a replay reused', async () => {
    const { agent, state } = setup();
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'cup', { key: 'k' });
    await bench.drive('r');
    expect(lines(bench.traces)).toEqual([
      'run shop started',
      'event _input_event created',
      'action pick started',
      'durable_call stock started',
      'durable_call stock success',
      'action pick success',
      'event picked created',
      'action pack started',
      'durable_call box started',
      'durable_call box failed',
      'action pack failed',
    ]);
    state.fails = false;
    bench.traces.splice(0);
    bench.clock.advanceBy(1_000);
    await bench.drive('r');
    expect(lines(bench.traces)).toEqual([
      'run shop started',
      'event _input_event reused',
      'action pick reused',
      'event picked reused',
      'action pack started',
      'durable_call box reused',
      'action pack success',
      'event _output_event created',
      'run shop success',
    ]);
  });

  it('tells the lineage, the place and the error of each', async () => {
    const { agent } = setup();
    const bench = new DriveBench([agent]);
    await bench.begin('r', 'cup', { key: 'k' });
    await bench.drive('r');
    const find = (type: string, name: string, status: string) =>
      bench.traces.find((each) => each.entity_type === type && each.entity_name === name && each.status === status);
    const input = find('event', '_input_event', 'created');
    const pick = find('action', 'pick', 'success');
    const event = find('event', 'picked', 'created');
    const pack = find('action', 'pack', 'failed');
    const box = find('durable_call', 'box', 'failed');
    for (const trace of bench.traces)
      expect(trace).toMatchObject({
        record: 'trace',
        run_id: 'r',
        agent_name: 'shop',
        business_key: 'k',
        timestamp: '2026-01-01T00:00:00.000Z',
      });
    expect(input).toMatchObject({ entity_metadata: { event_id: input?.execution_id }, attributes: { input: 'cup' } });
    expect(pick).toMatchObject({
      entity_metadata: { trigger_event_id: input?.execution_id, path: 'pick', epoch: 1 },
      duration_ms: 0,
    });
    expect(event).toMatchObject({
      parent_execution_id: pick?.execution_id,
      entity_metadata: { upstream_event_id: input?.execution_id, upstream_action_name: 'pick' },
      attributes: { item: 'cup' },
    });
    expect(pack).toMatchObject({
      parent_execution_id: pick?.execution_id,
      entity_metadata: { trigger_event_id: event?.execution_id, path: 'pick/pack' },
      problem_category: 'action_execution_failed',
      error: { name: 'TypeError', message: 'torn' },
    });
    expect(box).toMatchObject({
      execution_id: `${pack?.execution_id}#box#0`,
      parent_execution_id: pack?.execution_id,
      problem_category: 'durable_call_failed',
      error: { name: 'RangeError', message: 'no box' },
    });
  });

  it('ends with one record of the outcome, whoever ended the run', async () => {
    const ends = (bench: DriveBench) =>
      bench.traces.filter(({ entity_type, status }) => entity_type === 'run' && status !== 'started');
    const { agent } = setup();
    const failed = new DriveBench([agent]);
    await failed.begin('r', 'cup');
    await failed.settle('r');
    expect(ends(failed)).toMatchObject([
      {
        status: 'failed',
        problem_category: 'run_failed',
        error: { message: 'torn' },
        entity_metadata: { outcome: 'FAILED' },
      },
    ]);

    const cancelled = new DriveBench([agent]);
    await cancelled.begin('r', 'cup', { key: 'k' });
    await cancelled.accept({ cancel: { requestId: 'r' } });
    await cancelled.settle('r');
    expect(ends(cancelled)).toMatchObject([{ status: 'failed', entity_metadata: { outcome: 'CANCELLED' } }]);
    expect(ends(cancelled)[0]).not.toHaveProperty('error');

    const taken = new DriveBench([defineAgent({ name: 'quiet' }).addAction('a', EventType.InputEvent, () => {})]);
    await taken.begin('r', null);
    const send = InMemoryOutputQueue.prototype.send.bind(taken.outputs);
    taken.outputs.send = () => Promise.reject(new Error('the queue is down'));
    await expect(taken.drive('r')).rejects.toThrow('the queue is down');
    expect(ends(taken)).toEqual([]);
    taken.outputs.send = send;
    await taken.drive('r');
    expect(ends(taken)).toMatchObject([{ status: 'success', entity_metadata: { outcome: 'COMPLETED' } }]);
  });

  it('names at most 20 of the calls that were not made any more', async () => {
    const state = { old: true };
    const agent = defineAgent({ name: 'shrinking' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      const count = state.old ? 50 : 1;
      await Promise.all(
        Array.from({ length: count }, (_, n) => ctx.durableExecute({ id: `call-${n}`, call: () => n })),
      );
      if (state.old) throw new Error('not yet');
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    await bench.drive('r');
    state.old = false;
    bench.clock.advanceBy(1_000);
    await bench.drive('r');
    const unvisited = bench.traces.findLast(
      ({ status, entity_type }) => entity_type === 'action' && status === 'success',
    )?.entity_metadata.unvisited_calls;
    expect(String(unvisited).split(' ')).toHaveLength(20 + 3);
    expect(unvisited).toMatch(/ and 29 more$/);
  });
});

describe('a trace record', () => {
  const lineOf = (attributes: unknown, error?: unknown): string => {
    const written: string[] = [];
    const sink = { write: (record: TraceRecord) => void written.push(JSON.stringify(record)) };
    new RunTracer(sink, new ManualClock(), { runId: 'r', agent: 'a' }).write({
      entityType: 'event',
      entityName: 'e',
      executionId: 'x',
      status: 'created',
      attributes,
      ...(error === undefined ? {} : { error }),
    });
    expect(written).toHaveLength(1);
    return written[0] ?? '';
  };

  const cyclic: Record<string, unknown> = { list: [] };
  (cyclic.list as unknown[]).push(cyclic);
  const wide = (depth: number): unknown =>
    depth === 0 ? '\u0000'.repeat(5_000) : Array.from({ length: 30 }, () => wide(depth - 1));
  const deep = (): unknown => {
    let tree: unknown = 'leaf';
    for (let level = 0; level < 100_000; level += 1) tree = [tree];
    return tree;
  };

  it.each<[string, () => unknown]>([
    ['3 MB of three-byte characters', () => ({ text: '€'.repeat(1_048_576) })],
    [
      'many long texts',
      () => Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => '\u0001'.repeat(2_000))),
    ],
    ['a wide tree', () => wide(3)],
    ['a deep tree', deep],
    [
      'long member names',
      () => Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}${'\u0002'.repeat(100_000)}`, n])),
    ],
    ['itself', () => cyclic],
    ['bigints', () => ({ big: 10n ** 50n })],
    ['line ends and escapes', () => ({ text: 'a\nb\r\u2028\u001b[31mred' })],
    ['half a surrogate pair', () => ({ text: `${'x'.repeat(1_999)}😀` })],
    [
      'a getter that throws',
      () => ({
        get secret() {
          throw new Error('no');
        },
      }),
    ],
    [
      'a proxy that throws',
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
    ],
    ['functions and symbols', () => ({ f: () => 1, s: Symbol('s'), u: undefined })],
    [
      'dates, maps, sets, bytes',
      () => [new Date(0), new Date(Number.NaN), new Map([[1, 2]]), new Set([1]), new Uint8Array(9)],
    ],
    ['numbers that JSON has not', () => [Number.NaN, Number.POSITIVE_INFINITY]],
  ])('is one line of valid JSON below 200 KB with %s', (_what, make) => {
    const line = lineOf(make());
    expect(line).not.toMatch(/[\n\r]/);
    expect(Buffer.byteLength(line, 'utf8')).toBeLessThan(200_000);
    expect(JSON.parse(line)).toMatchObject({ record: 'trace', run_id: 'r' });
    expect(line.isWellFormed()).toBe(true);
  });

  it('says what was cut', () => {
    expect(JSON.parse(lineOf({ text: 'x'.repeat(2_500) })).attributes).toEqual({
      text: { truncatedString: 'x'.repeat(2_000), omittedChars: 500 },
    });
    expect(JSON.parse(lineOf(Array.from({ length: 25 }, (_, n) => n))).attributes).toEqual({
      truncatedList: Array.from({ length: 20 }, (_, n) => n),
      omittedElements: 5,
    });
    expect(
      JSON.parse(lineOf(Object.fromEntries(Array.from({ length: 22 }, (_, n) => [`m${n}`, n])))).attributes,
    ).toMatchObject({
      omittedFields: 2,
    });
    expect(JSON.parse(lineOf([[[[[['deep']]]]]])).attributes).toEqual([[[[['[deeper]']]]]]);
    expect(JSON.parse(lineOf(wide(3))).attributes).toMatchObject({ truncated: true });
  });

  it('leaves what is short as it is', () => {
    const attributes = { a: [1, 'two', null, true], b: { c: {} } };
    expect(JSON.parse(lineOf(attributes)).attributes).toEqual(attributes);
  });

  it('is lost when its sink fails, and nothing else', () => {
    const failing = {
      write: () => {
        throw new Error('the disk is full');
      },
    };
    const tracer = new RunTracer(failing, new ManualClock(), { runId: 'r', agent: 'a' });
    expect(() =>
      tracer.write({ entityType: 'run', entityName: 'a', executionId: 'r', status: 'started' }),
    ).not.toThrow();
  });
});

describe('credentials', () => {
  const SECRETS = [
    'sk-live-0123456789abcdef',
    'dXNlcjpwYXNzd29yZA',
    'hunter2hunter2',
    'AKIAIOSFODNN7EXAMPLE',
    'session=c0ffee',
  ];
  const clientError = () =>
    Object.assign(
      new Error(`Request failed: https://bob:${SECRETS[2]}@host/?api_key=${SECRETS[0]}`, {
        cause: Object.assign(new Error(`Authorization: Bearer ${SECRETS[0]}`), { headers: { cookie: SECRETS[4] } }),
      }),
      {
        config: { headers: { Authorization: `Bearer ${SECRETS[0]}` }, auth: { password: SECRETS[2] } },
        request: { _header: `GET / HTTP/1.1\nAuthorization: Basic ${SECRETS[1]}` },
        response: { data: `token=${SECRETS[0]}`, status: 401 },
        accessKeyId: SECRETS[3],
        status: 401,
      },
    );

  it.each<[string, () => unknown]>([
    ['an error', clientError],
    ['an aggregate', () => new AggregateError([clientError()], 'both')],
    [
      'an object that is no error',
      () => ({ status: 401, config: { headers: { Authorization: `Bearer ${SECRETS[0]}` } } }),
    ],
    ['a text', () => `Bearer ${SECRETS[0]}`],
  ])('of a client never reach the store, the trace or a queue: %s', async (_what, make) => {
    for (const place of ['call', 'action'] as const) {
      const agent = defineAgent({ name: 'client' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
        if (place === 'action') throw make();
        await ctx.durableExecute({ id: 'ask', call: () => Promise.reject(make()) });
      });
      const bench = new DriveBench([agent]);
      await bench.begin('r', null);
      expect(await bench.settle('r')).toMatchObject({ status: 'FAILED' });
      const everything = JSON.stringify([bench.items.items(), bench.traces, bench.outputs.sent, bench.wakes.sent]);
      for (const secret of SECRETS) expect(everything).not.toContain(secret);
      expect(everything).toContain(place === 'action' ? 'FAILED' : 'ask');
    }
  });
});
