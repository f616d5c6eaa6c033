import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AcceptBench } from './support/accept-bench.ts';

/** What each run does while it is under way, by its input. */
let during: Record<string, () => Promise<void>> = {};
let active = new Set<string>();
let mostActive = 0;

const work = defineAgent({ name: 'work', input: z.string(), output: z.string() }).addAction(
  'work',
  EventType.InputEvent,
  async ({ input }, ctx) => {
    active.add(input);
    mostActive = Math.max(mostActive, active.size);
    await ctx.durableExecute({ id: 'work', call: () => during[input]?.() });
    active.delete(input);
    if (input.includes('fails')) throw new Error('no');
    if (!input.includes('quiet')) ctx.sendEvent(OutputEvent(input));
  },
);
const tally = defineAgent({ name: 'tally', input: z.string(), output: z.array(z.string()) }).addAction(
  'add',
  EventType.InputEvent,
  async ({ input }, ctx) => {
    const seen = [...((await ctx.shortTermMemory.get('seen', z.array(z.string()))) ?? []), input];
    ctx.shortTermMemory.set('seen', seen);
    ctx.sendEvent(OutputEvent(seen));
  },
);

function newBench(plan: typeof during = {}): AcceptBench {
  during = plan;
  active = new Set();
  mostActive = 0;
  return new AcceptBench([work, tally], { 'run.max-attempts': 2 });
}

const request = (input: string, key = 'k', agent = 'work') => ({ agent, key, requestId: `${key}:${input}`, input });
const completed = (bench: AcceptBench) =>
  bench.received().flatMap(({ requestId, status }) => (status === undefined ? [] : [`${requestId} ${status}`]));

describe('inputs of one key', () => {
  it('that come during a run are parked, and run one after the other in their order', async () => {
    const inputs = Array.from({ length: 20 }, (_, n) => `input-${n}`);
    const kinds: string[] = [];
    const bench = newBench({
      first: async () => {
        for (const input of inputs) kinds.push((await bench.accept(request(input))).kind);
      },
    });
    await bench.accept(request('first'));
    await bench.driveAll();
    expect(kinds).toEqual(new Array(20).fill('parked'));
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(['first', ...inputs]);
    expect(mostActive).toBe(1);
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('INBOX#'))).toEqual([]);
    expect(bench.items.items().find(({ sk }) => sk === 'HEAD')).not.toHaveProperty('ac');
  });

  it('that all come before anything runs keep their order, more than ten of them too', async () => {
    const bench = newBench();
    const inputs = Array.from({ length: 25 }, (_, n) => `input-${n}`);
    await bench.acceptAll(inputs.map((input) => bench.message(request(input))));
    await bench.driveAll();
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(inputs);
    expect(mostActive).toBe(1);
  });

  it('go on after one that does nothing', async () => {
    const bench = newBench();
    await bench.acceptAll(['a', 'quiet', 'b'].map((input) => bench.message(request(input))));
    await bench.driveAll();
    expect(completed(bench)).toEqual(['k:a COMPLETED', 'k:quiet COMPLETED', 'k:b COMPLETED']);
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(['a', 'b']);
  });

  it('go on after one that fails, once its attempts are used up', async () => {
    const bench = newBench();
    await bench.acceptAll(['a', 'fails', 'b'].map((input) => bench.message(request(input))));
    await bench.driveAll();
    expect(completed(bench)).toEqual(['k:a COMPLETED', 'k:fails FAILED', 'k:b COMPLETED']);
  });

  it('go on after one that was cancelled while it was parked, without running it', async () => {
    const bench = newBench({
      a: async () => {
        expect(await bench.accept(request('b'))).toMatchObject({ kind: 'parked' });
        expect(await bench.accept(request('c'))).toMatchObject({ kind: 'parked' });
        expect(await bench.accept({ cancel: { requestId: 'k:b' } })).toMatchObject({ kind: 'cancel-marked' });
      },
    });
    await bench.accept(request('a'));
    await bench.driveAll();
    expect([...completed(bench)].sort()).toEqual(['k:a COMPLETED', 'k:b CANCELLED', 'k:c COMPLETED']);
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(['a', 'c']);
  });

  it('that come twice while they are parked run once', async () => {
    const bench = newBench({
      a: async () => {
        for (let time = 0; time < 3; time += 1) {
          expect(await bench.accept(request('b'))).toEqual({ kind: 'parked', runId: 'k:b' });
          expect(await bench.accept(request('c'))).toEqual({ kind: 'parked', runId: 'k:c' });
        }
      },
    });
    await bench.accept(request('a'));
    await bench.driveAll();
    expect(bench.received().flatMap(({ output }) => output ?? [])).toEqual(['a', 'b', 'c']);
  });

  it('see what the ones before left in memory', async () => {
    const bench = newBench();
    await bench.acceptAll(['a', 'b', 'c'].map((input) => bench.message(request(input, 'k', 'tally'))));
    await bench.driveAll();
    expect(bench.received().flatMap(({ output }) => (output ? [output] : []))).toEqual([
      ['a'],
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
  });

  it('leave a free key behind, which the next input takes at once', async () => {
    const bench = newBench();
    await bench.accept(request('a'));
    await bench.driveAll();
    expect(await bench.accept(request('b'))).toMatchObject({ kind: 'accepted', again: false });
  });
});

describe('inputs of different keys', () => {
  it('do not wait for each other', async () => {
    const bench = newBench({
      slow: async () => {
        expect(await bench.accept(request('quick', 'other'))).toMatchObject({ kind: 'accepted' });
        expect(await bench.accept({ agent: 'work', requestId: 'no key', input: 'keyless' })).toMatchObject({
          kind: 'accepted',
        });
        expect(await bench.accept(request('quick', 'k', 'tally'))).toMatchObject({ kind: 'accepted' });
      },
    });
    await bench.accept(request('slow'));
    await bench.driveAll();
    expect(completed(bench)).toHaveLength(4);
  });

  it('have memories of their own, however alike the keys are', async () => {
    const keys = [
      'a',
      'A',
      'a#b',
      'a%23b',
      'a/b',
      'a b',
      'a\n',
      '%61',
      '#',
      '😀',
      'ä',
      'a\u0308',
      'k'.repeat(128),
      '__proto__',
    ];
    const bench = newBench();
    for (const [n, key] of keys.entries()) {
      await bench.accept({ agent: 'tally', key, requestId: `${n}`, input: key });
    }
    await bench.driveAll();
    expect(bench.received().flatMap(({ output }) => (output ? [output] : []))).toEqual(
      expect.arrayContaining(keys.map((key) => [key])),
    );
    expect(bench.received().filter(({ output }) => output)).toHaveLength(keys.length);
  });
});
