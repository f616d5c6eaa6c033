import fc from 'fast-check';
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { toBatchResponse } from '../../../functions/messages/batch-response.ts';
import type { RequestMessage } from '../../../lib/runner/accept/request-message.ts';
import type { AcceptedBatch } from '../../../lib/runner/runtime.ts';
import { AcceptBench } from './support/accept-bench.ts';
import { failingPorts, type PortFailure } from './support/failing-ports.ts';

const echo = defineAgent({ name: 'echo' }).addAction('answer', EventType.InputEvent, (event, ctx) =>
  ctx.sendEvent(OutputEvent(event.input)),
);
const newBench = () => new AcceptBench([echo]);
const request = (requestId: string, more: object = {}) => ({ agent: 'echo', requestId, input: requestId, ...more });
const failedIds = ({ failures }: AcceptedBatch) => failures.map(({ messageId }) => messageId);

/** Ports whose writes of one run fail. */
const withoutRun = (bench: AcceptBench, runId: string) => {
  const items = Object.create(bench.items) as typeof bench.items;
  items.put = (item, condition) =>
    item.id === runId ? Promise.reject(new Error('The store is down.')) : bench.items.put(item, condition);
  return { ...bench.ports, items };
};

describe('a batch', () => {
  it('with a malformed message between two good ones: the good ones run once each, the bad one is put aside', async () => {
    const bench = newBench();
    const messages = [bench.message(request('a')), bench.message('{bad'), bench.message(request('b'))];
    const batch = await bench.acceptAll(messages);
    expect(batch.failures).toEqual([]);
    expect(bench.deadLetters.sent).toMatchObject([{ messageId: messages[1]?.messageId, reason: 'NOT_JSON' }]);
    await bench.driveAll();
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(['a', 'b']);
  });

  it('gives a malformed message back when it cannot be put aside', async () => {
    const bench = newBench();
    const messages = [bench.message(request('a')), bench.message('{bad'), bench.message(request('b'), 'other')];
    const broken = failingPorts(bench.ports, ({ name }) => (name === 'deadLetters.send' ? 'before' : undefined));
    expect(failedIds(await bench.acceptAll(messages, broken.ports))).toEqual([messages[1]?.messageId]);
  });

  it('keeps the order of a group over a failure, and lets other groups go on', async () => {
    const bench = newBench();
    const [a, b, other, c, otherToo] = [
      bench.message(request('g1-a'), 'g1'),
      bench.message(request('g1-b'), 'g1'),
      bench.message(request('g2-a'), 'g2'),
      bench.message(request('g1-c'), 'g1'),
      bench.message(request('g2-b'), 'g2'),
    ] as const;
    const batch = await bench.acceptAll([a, b, other, c, otherToo], withoutRun(bench, 'g1-b'));
    expect(failedIds(batch)).toEqual([b.messageId, c.messageId]);
    expect([...bench.runIds()].sort()).toEqual(['g1-a', 'g2-a', 'g2-b']);
    await bench.acceptAll([b, c]);
    await bench.driveAll();
    expect(bench.received().filter(({ status }) => status === 'COMPLETED')).toHaveLength(5);
  });

  it('names its failures in the order of the queue, whichever group failed first', async () => {
    const bench = newBench();
    const messages = Array.from({ length: 9 }, (_, n) => bench.message(request(`r${n}`), `g${n % 3}`));
    const broken = failingPorts(bench.ports, () => 'before');
    expect(failedIds(await bench.acceptAll(messages, broken.ports))).toEqual(
      messages.map(({ messageId }) => messageId),
    );
  });

  it('is recorded, never driven: the function that accepts sends a wake and no output', async () => {
    const bench = newBench();
    await bench.acceptAll(Array.from({ length: 10 }, (_, n) => bench.message(request(`r${n}`))));
    expect(bench.items.items().map(({ sk }) => sk)).toEqual(new Array(10).fill('RUN'));
    expect(bench.wakes.sent.map(({ wake }) => wake.reason)).toEqual(new Array(10).fill('accepted'));
    expect(bench.outputs.sent).toEqual([]);
  });

  it('whose function is killed after six messages comes back whole, and each request runs once', async () => {
    const bench = newBench();
    const messages = Array.from({ length: 10 }, (_, n) => bench.message(request(`r${n}`, n % 2 ? { key: 'k' } : {})));
    for (const message of messages.slice(0, 6)) await bench.deliver(message);
    await bench.acceptAll(messages);
    await bench.driveAll();
    const outputs = bench.received().flatMap(({ output }) => output ?? []);
    expect([...outputs].sort()).toEqual(messages.map((_, n) => `r${n}`));
  });

  it('begins no message when little time is left, and gives back what it did not begin', async () => {
    const bench = newBench();
    const messages = Array.from({ length: 4 }, (_, n) => bench.message(request(`r${n}`), `g${n % 2}`));
    const slow = { ...bench.ports, items: Object.create(bench.items) as typeof bench.items };
    slow.items.put = (item, condition) => {
      bench.clock.advanceBy(14_000);
      return bench.items.put(item, condition);
    };
    const batch = await bench.acceptAll(messages, slow);
    expect(failedIds(batch)).toEqual([messages[2]?.messageId, messages[3]?.messageId]);
    expect(bench.runIds()).toEqual(['r0', 'r1']);
    const late = newBench();
    const message = late.message(request('r'));
    expect(failedIds(await late.acceptAll([message], late.ports, 2_999))).toEqual([message.messageId]);
    expect(late.items.items()).toEqual([]);
  });

  it('of nothing is nothing', async () => {
    expect(await newBench().acceptAll([])).toEqual({ results: [], failures: [] });
  });
});

describe('random batches over a store that fails at random', () => {
  const message = fc.record({
    group: fc.constantFrom('g1', 'g2', 'g3'),
    key: fc.constantFrom(undefined, 'k1', 'k2'),
    kind: fc.constantFrom('small', 'large', 'bad', 'unknown'),
  });
  const bodyOf = ({ key, kind }: { readonly key: string | undefined; readonly kind: string }, id: string): unknown => {
    if (kind === 'bad') return '{bad';
    const more = key === undefined ? {} : { key };
    return request(id, {
      ...more,
      ...(kind === 'unknown' ? { agent: 'nobody' } : {}),
      ...(kind === 'large' ? { input: id.padEnd(80_000, '.') } : {}),
    });
  };

  it('lose nothing, repeat nothing, keep each order, and answer in the shape that Lambda reads', async () => {
    const failures = fc.array(
      fc.constantFrom<PortFailure | undefined>(undefined, undefined, undefined, 'before', 'after'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 10 }), failures, async (specs, plan) => {
        const bench = newBench();
        const messages = specs.map((spec, n) => bench.message(bodyOf(spec, `r${n}`), spec.group));
        const broken = failingPorts(bench.ports, ({ number }) => plan[number - 1]);
        const batch = await bench.acceptAll(messages, broken.ports);
        expectPartition(messages, batch);
        expectShape(messages, batch);
        const returned = new Set(failedIds(batch));
        await bench.acceptAll(messages.filter(({ messageId }) => returned.has(messageId)));
        await bench.driveAll();
        expectOutcome(bench, messages, specs);
      }),
      { numRuns: 150 },
    );
  });

  /** Each message is either done or comes back, and in a group whatever follows one that comes back does too. */
  function expectPartition(messages: readonly RequestMessage[], batch: AcceptedBatch): void {
    const done = batch.results.map(({ messageId }) => messageId);
    expect([...done, ...failedIds(batch)].sort()).toEqual(messages.map(({ messageId }) => messageId).sort());
    for (const group of ['g1', 'g2', 'g3']) {
      const ids = messages.filter(({ groupId }) => groupId === group).map(({ messageId }) => messageId);
      const firstFailure = ids.findIndex((id) => !done.includes(id));
      if (firstFailure >= 0) expect(ids.slice(firstFailure).some((id) => done.includes(id))).toBe(false);
    }
  }

  function expectShape(messages: readonly RequestMessage[], batch: AcceptedBatch): void {
    const response = toBatchResponse(failedIds(batch));
    expect(Object.keys(response)).toEqual(['batchItemFailures']);
    const ids = response.batchItemFailures.map((failure) => {
      expect(Object.keys(failure)).toEqual(['itemIdentifier']);
      return failure.itemIdentifier;
    });
    expect(new Set(ids).size).toBe(ids.length);
    // In the order of the queue, each one of its messages.
    expect(ids).toEqual(messages.map(({ messageId }) => messageId).filter((id) => ids.includes(id)));
  }

  function expectOutcome(
    bench: AcceptBench,
    messages: readonly RequestMessage[],
    specs: readonly { readonly key: string | undefined; readonly group: string; readonly kind: string }[],
  ): void {
    const isGood = (kind: string) => kind === 'small' || kind === 'large';
    const good = specs.flatMap(({ kind }, n) => (isGood(kind) ? [`r${n}`] : []));
    const completed = bench.received().flatMap(({ requestId, status }) => (status === 'COMPLETED' ? [requestId] : []));
    expect([...completed].sort()).toEqual([...good].sort());
    const refused = new Set(bench.deadLetters.sent.map(({ messageId }) => messageId));
    const bad = messages.filter((_, n) => !isGood(specs[n]?.kind ?? '')).map(({ messageId }) => messageId);
    expect([...refused].sort()).toEqual([...bad].sort());
    for (const group of ['g1', 'g2', 'g3']) {
      for (const key of ['k1', 'k2']) {
        const inOrder = specs.flatMap((spec, n) =>
          spec.key === key && spec.group === group && isGood(spec.kind) ? [`r${n}`] : [],
        );
        expect(completed.filter((id) => inOrder.includes(id))).toEqual(inOrder);
      }
    }
  }
});
