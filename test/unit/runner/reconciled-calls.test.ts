import { CallInterruptedError, type DurableCall, defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { skipTime } from '../../../lib/testing/skip-time.ts';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';

type Options = Omit<DurableCall<unknown>, 'id'>;

const caller = (options: Options) =>
  defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'act', ...options })));
  });

/** A bench whose run was interrupted between the effect of its call and the record of it. */
async function interrupted(options: Options) {
  const agent = caller({ ...options, call: () => new Promise(() => {}) });
  const bench = new DriveBench([agent]);
  await bench.begin('r', null);
  const dying = bench.process();
  void dying.drive('r');
  await settleMicrotasks();
  dying.freeze();
  bench.clock.advanceBy(60_000);
  return bench;
}

const callOf = (bench: DriveBench) => bench.items.items().find(({ sk }) => sk.startsWith('CALL#'));

describe('a reconciled call', () => {
  it('leaves a mark before it begins', async () => {
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    expect(callOf(bench)).toMatchObject({ st: 'PENDING', kd: 'call', or: 1, vw: 0 });
    expect(callOf(bench)).not.toHaveProperty('val');
  });

  it('asks after an interruption, records the answer and does not ask again', async () => {
    let asked = 0;
    let attempts = 0;
    const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      const reconcile = () => {
        asked += 1;
        return 'found';
      };
      const value = await ctx.durableExecute({ id: 'act', call: () => 'made', reconcile });
      if (attempts === 1) throw new Error('once more');
      ctx.sendEvent(OutputEvent(value));
    });
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    expect(await bench.drive('r', [agent])).toMatchObject({ kind: 'retried' });
    expect(callOf(bench)).toMatchObject({ st: 'SUCCEEDED', val: '"found"', e: 2 });
    bench.clock.advanceBy(1_000);
    await bench.drive('r', [agent]);
    expect(bench.received()).toMatchObject([{ output: 'found' }, { status: 'COMPLETED' }]);
    expect(asked).toBe(1);
  });

  it('whose reconciler throws records nothing and shows nothing: the attempt fails and the next one asks again', async () => {
    const answers = [new Error('service down'), new Error('still down'), 'found'];
    const caught: unknown[] = [];
    const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
      const reconcile = () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      };
      const value = await ctx
        .durableExecute({ id: 'act', call: () => 'made', reconcile })
        .catch((error: unknown) => caught.push(error));
      ctx.sendEvent(OutputEvent(value));
    });
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    expect(await bench.drive('r', [agent])).toMatchObject({ kind: 'retried', error: { message: 'service down' } });
    expect(callOf(bench)).toMatchObject({ st: 'PENDING' });
    bench.clock.advanceBy(2_000);
    expect(await bench.drive('r', [agent])).toMatchObject({ kind: 'retried', error: { message: 'still down' } });
    bench.clock.advanceBy(4_000);
    expect(await bench.drive('r', [agent])).toMatchObject({ outcome: 'COMPLETED' });
    expect(caught).toEqual([]);
    expect(bench.received()).toMatchObject([{ output: 'found' }, { status: 'COMPLETED' }]);
  });

  it('whose reconciler never can tell fails the run after its attempts, and redrive asks again', async () => {
    let down = true;
    const agent = caller({ call: () => 1, reconcile: () => (down ? Promise.reject(new Error('down')) : 'found') });
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await bench.drive('r', [agent]);
      bench.clock.advanceBy(8_000);
    }
    expect(await bench.run('r')).toMatchObject({ status: 'FAILED' });
    expect(callOf(bench)).toMatchObject({ st: 'PENDING' });
    down = false;
    await bench.accept({ redrive: { requestId: 'r' } });
    await bench.drive('r', [agent]);
    expect(bench.received().at(-2)).toMatchObject({ output: 'found' });
  });

  it('whose reconciler hangs ends at its timeout, and counts as one that could not tell', async () => {
    const agent = caller({ call: () => 1, reconcile: () => new Promise(() => {}), timeoutMillis: 5_000 });
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    const result = bench.drive('r', [agent]);
    await bench.pass(5_000);
    expect(await result).toMatchObject({ kind: 'retried', error: { code: 'CALL_TIMEOUT' } });
    expect(callOf(bench)).toMatchObject({ st: 'PENDING' });
  });

  it('whose reconciler makes the call, which fails, has failed', async () => {
    const agent = caller({ call: () => Promise.reject(new RangeError('refused')), reconcile: (call) => call() });
    const bench = await interrupted({ call: () => 1, reconcile: () => 1 });
    expect(await bench.drive('r', [agent])).toEqual({ kind: 'ended', outcome: 'FAILED' });
    expect(callOf(bench)).toMatchObject({ st: 'FAILED' });
    expect(bench.received()).toMatchObject([{ status: 'FAILED', error: { name: 'RangeError' } }]);
  });

  it('that fails is recorded over its mark, and a replay throws it without asking', async () => {
    const asked: string[] = [];
    let attempts = 0;
    const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
      attempts += 1;
      const call = () => {
        asked.push('call');
        throw new RangeError('refused');
      };
      const reconcile = () => asked.push('reconciler');
      const error = await ctx.durableExecute({ id: 'act', call, reconcile }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'RangeError' });
      if (attempts === 1) throw new Error('once more');
    });
    expect(await testRuntime([agent]).run('caller', null)).toMatchObject({ status: 'COMPLETED' });
    expect(asked).toEqual(['call']);
  });
});

describe('an at-most-once call', () => {
  it('that was interrupted is recorded as that, and never made again', async () => {
    let made = 0;
    const seen: unknown[] = [];
    const agent = defineAgent({ name: 'caller' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
      const call = () => {
        made += 1;
        return made;
      };
      seen.push(
        await ctx.durableExecute({ id: 'act', semantics: 'at-most-once', call }).catch((error: unknown) => error),
      );
      if (seen.length < 3) throw new Error('once more');
    });
    const bench = await interrupted({ call: () => 1, semantics: 'at-most-once' });
    for (const wait of [2_000, 4_000, 8_000]) {
      await bench.drive('r', [agent]);
      bench.clock.advanceBy(wait);
    }
    expect(await bench.run('r')).toMatchObject({ status: 'COMPLETED' });
    expect(made).toBe(0);
    expect(seen).toHaveLength(3);
    for (const error of seen) {
      expect(error).toBeInstanceOf(CallInterruptedError);
      expect(error).toMatchObject({
        code: 'CALL_INTERRUPTED',
        message: expect.stringContaining('Durable call "act" was interrupted'),
      });
    }
  });

  it('that was interrupted and is not caught fails the run; redrive makes it, since somebody looked', async () => {
    let made = 0;
    const agent = caller({ call: () => ++made, semantics: 'at-most-once' });
    const bench = await interrupted({ call: () => 1, semantics: 'at-most-once' });
    expect(await bench.drive('r', [agent])).toEqual({ kind: 'ended', outcome: 'FAILED' });
    await bench.accept({ redrive: { requestId: 'r' } });
    expect(await bench.drive('r', [agent])).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(made).toBe(1);
  });

  it('that times out has failed, and is not made again', async () => {
    let made = 0;
    const call = () => {
      made += 1;
      return new Promise(() => {});
    };
    const agent = caller({ call, semantics: 'at-most-once', timeoutMillis: 1_000 });
    expect(await testRuntime([agent]).run('caller', null)).toMatchObject({
      status: 'FAILED',
      error: { code: 'CALL_TIMEOUT' },
    });
    expect(made).toBe(1);
  });
});

describe('a plain call', () => {
  it('that was interrupted is made again: at least once', async () => {
    let made = 0;
    const bench = await interrupted({ call: () => 1 });
    expect(callOf(bench)).toBeUndefined();
    const call = () => {
      made += 1;
      return made;
    };
    expect(await bench.drive('r', [caller({ call })])).toMatchObject({ outcome: 'COMPLETED' });
    expect(made).toBe(1);
  });

  it('has the durable id of its place, whatever message or process makes it', async () => {
    const idsOf = async (messages: number) => {
      const bench = new DriveBench([caller({ call: () => 1 })]);
      for (let message = 0; message < messages; message += 1) await bench.accept({ cancel: { requestId: 'nobody' } });
      await bench.begin('r', null);
      await bench.drive('r');
      return bench.items.items().map(({ sk }) => sk);
    };
    expect(await idsOf(5)).toEqual(await idsOf(0));
  });

  it('with a retry budget takes its waits without losing its attempt', async () => {
    const times: number[] = [];
    const bench = new DriveBench([
      caller({
        retry: { maxAttempts: 3, initialMillis: 1_000 },
        call: () => {
          times.push(bench.clock.now());
          if (times.length < 3) throw new Error('not yet');
          return 'third';
        },
      }),
    ]);
    await bench.begin('r', null);
    const begun = bench.clock.now();
    expect(await skipTime(bench.clock, bench.drive('r'))).toMatchObject({ outcome: 'COMPLETED' });
    expect(times.map((time) => time - begun)).toEqual([0, 1_000, 3_000]);
  });
});
