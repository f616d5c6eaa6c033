import fc from 'fast-check';
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { everyPick, interleave, SteppedProcess } from './support/interleavings.ts';
import { WaitBench } from './support/wait-bench.ts';
import { HOUR, SECOND } from './support/wait-programs.ts';

const asking = defineAgent({ name: 'asking' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
  ctx.sendEvent(OutputEvent(await ctx.waitForSignal('go')));
});

const askingTwice = defineAgent({ name: 'asking-twice' }).addAction(
  'ask',
  EventType.InputEvent,
  async (_event, ctx) => {
    const first = await ctx.waitForSignal('go');
    const answers = await Promise.all([ctx.waitForSignal('go'), ctx.waitForSignal('go', { timeoutMillis: HOUR })]);
    ctx.sendEvent(OutputEvent([first, ...answers]));
  },
);

interface Meeting {
  /** A bench whose run r is about to be driven. */
  readonly begin: () => Promise<WaitBench>;
  /** Values of the signals that come meanwhile, each by a process of its own. */
  readonly signals: readonly unknown[];
  readonly check: (bench: WaitBench) => Promise<void>;
}

/** Lets a drive and signals meet, their store calls in the picked order. */
async function meet({ begin, signals, check }: Meeting, pick: (options: number) => number): Promise<void> {
  const bench = await begin();
  const driver = new SteppedProcess(bench.items);
  const acceptors = signals.map(() => new SteppedProcess(bench.items));
  const drive = bench.invoke('r', { items: driver.items });
  const accepts = signals.map((value, place) => {
    const message = bench.message({ signal: { requestId: 'r', name: 'go', value } }, `g${place}`);
    return bench.deliver(message, { ...bench.ports, items: acceptors[place]?.items ?? bench.items });
  });
  await interleave([driver, ...acceptors], pick);
  await Promise.all([drive, ...accepts]);
  await check(bench);
}

const everyOrder = (meeting: Meeting): Promise<number> => everyPick((pick) => meet(meeting, pick));

describe('a signal that comes while the run is being suspended', () => {
  it.each([{}, { key: 'k' }])('is never lost, though every wake is: %o', async (more) => {
    const orders = await everyOrder({
      begin: async () => {
        const bench = new WaitBench([asking]);
        await bench.begin('r', null, more);
        bench.loseWakes();
        return bench;
      },
      signals: ['yes'],
      check: async (bench) => {
        bench.loseWakes();
        expect(await bench.heal('r', 2)).toBe('COMPLETED');
        expect(bench.outputsOf('r')).toEqual(['yes']);
      },
    });
    expect(orders).toBeGreaterThan(30);
  });

  it('is never lost by a run that was suspended before', async () => {
    const orders = await everyOrder({
      begin: async () => {
        const bench = new WaitBench([askingTwice]);
        await bench.begin('r');
        await bench.wake('r');
        await bench.signal('r', 'go', 1);
        bench.loseWakes();
        return bench;
      },
      signals: [2],
      check: async (bench) => {
        bench.loseWakes();
        await bench.signal('r', 'go', 3);
        bench.loseWakes();
        expect(await bench.heal('r', 2)).toBe('COMPLETED');
        expect(bench.outputsOf('r')).toEqual([[1, 2, 3]]);
      },
    });
    expect(orders).toBeGreaterThan(30);
  });

  it('wakes the run when it is suspended and nothing is lost', async () => {
    await everyOrder({
      begin: async () => {
        const bench = new WaitBench([asking]);
        await bench.begin('r');
        bench.loseWakes();
        return bench;
      },
      signals: ['yes'],
      check: async (bench) => {
        for (const message of bench.wakes.waiting()) await bench.wake(bench.wakes.take(message).wake.runId);
        expect(await bench.run('r')).toMatchObject({ status: 'COMPLETED' });
      },
    });
  });

  it('is one of two that are both taken, each once', async () => {
    const short = defineAgent({ name: 'short' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      ctx.sendEvent(OutputEvent([await ctx.waitForSignal('go'), await ctx.waitForSignal('go')].toSorted()));
    });
    const meeting: Meeting = {
      begin: async () => {
        const bench = new WaitBench([short]);
        await bench.begin('r');
        await bench.wake('r');
        await bench.signal('r', 'other');
        bench.loseWakes();
        return bench;
      },
      signals: [1, 2],
      check: async (bench) => {
        bench.loseWakes();
        expect(await bench.heal('r', 2)).toBe('COMPLETED');
        expect(bench.outputsOf('r')).toEqual([[1, 2]]);
      },
    };
    // There are some 20,000 orders.
    const picks = fc.array(fc.nat({ max: 2 }), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(picks, async (choices) => {
        const left = [...choices];
        await meet(meeting, (options) => (left.pop() ?? 0) % options);
      }),
      { numRuns: 500 },
    );
  });

  it('and its time that comes at the same moment give one answer, which stays', async () => {
    const timed = defineAgent({ name: 'timed' }).addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const answer = await ctx.waitForSignal('go', { timeoutMillis: HOUR });
      await ctx.sleep(HOUR);
      const later = await ctx.waitForSignal('go', { timeoutMillis: SECOND });
      ctx.sendEvent(OutputEvent([answer ?? 'none', later ?? 'none']));
    });
    const answers = new Set<string>();
    await everyOrder({
      begin: async () => {
        const bench = new WaitBench([timed]);
        await bench.begin('r');
        await bench.wake('r');
        bench.loseWakes();
        bench.clock.advanceBy(HOUR);
        return bench;
      },
      signals: ['yes'],
      check: async (bench) => {
        expect(await bench.heal('r', 70)).toBe('COMPLETED');
        answers.add(JSON.stringify(bench.outputsOf('r')));
      },
    });
    // A signal that was too late for the first wait is there for the second one.
    expect([...answers].toSorted()).toEqual(['[["none","yes"]]', '[["yes","none"]]']);
  });
});
