import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { AcceptBench } from './support/accept-bench.ts';

const DAY = 86_400_000;

let works = true;
let during: (() => Promise<void>) | undefined;
const moody = defineAgent({ name: 'moody' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
  await ctx.durableExecute({
    id: 'act',
    call: async () => {
      await during?.();
      if (!works) throw new Error('no');
    },
  });
  ctx.sendEvent(OutputEvent('done'));
});

function newBench(): AcceptBench {
  works = true;
  during = undefined;
  return new AcceptBench([moody]);
}

const cancel = { cancel: { requestId: 'r' } };
const redrive = { redrive: { requestId: 'r' } };
const start = (bench: AcceptBench, more: object = {}) =>
  bench.accept({ agent: 'moody', requestId: 'r', input: 1, ...more });

async function ended(outcome: 'COMPLETED' | 'FAILED' | 'CANCELLED', more: object = {}): Promise<AcceptBench> {
  const bench = newBench();
  works = outcome !== 'FAILED';
  await start(bench, more);
  if (outcome === 'CANCELLED') await bench.accept(cancel);
  await bench.driveAll();
  expect(await bench.run('r')).toMatchObject({ status: outcome });
  works = true;
  return bench;
}

const statuses = (bench: AcceptBench) => bench.received().flatMap(({ status }) => status ?? []);

describe('a cancel', () => {
  it('of a run that is not known does nothing, and leaves nothing behind', async () => {
    const bench = newBench();
    expect(await bench.accept(cancel)).toEqual({ kind: 'nothing-to-do', runId: 'r', why: 'there is no such run' });
    expect(bench.items.items()).toEqual([]);
    expect(bench.wakes.sent).toEqual([]);
    expect(bench.deadLetters.sent).toEqual([]);
  });

  it.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)('of a %s run leaves it as it is', async (outcome) => {
    const bench = await ended(outcome);
    const before = bench.items.items();
    const wakes = bench.wakes.sent.length;
    expect(await bench.accept(cancel)).toEqual({ kind: 'nothing-to-do', runId: 'r', why: `the run is ${outcome}` });
    expect(bench.items.items()).toEqual(before);
    expect(bench.wakes.sent).toHaveLength(wakes);
  });

  it.each([
    ['without a key', {}],
    ['with a key', { key: 'k' }],
  ])('before the run is driven ends it without running anything: %s', async (_name, more) => {
    const bench = newBench();
    let ran = false;
    during = async () => {
      ran = true;
    };
    await start(bench, more);
    expect(await bench.accept(cancel)).toEqual({ kind: 'cancel-marked', runId: 'r' });
    expect(await bench.accept(cancel)).toEqual({ kind: 'cancel-marked', runId: 'r' });
    await bench.driveAll();
    expect(statuses(bench)).toEqual(['CANCELLED']);
    expect(ran).toBe(false);
  });

  it('while the run is driven sends no wake: its driver finds the mark', async () => {
    const bench = newBench();
    let wakes = 0;
    during = async () => {
      wakes = bench.wakes.sent.length;
      expect(await bench.accept(cancel)).toEqual({ kind: 'cancel-marked', runId: 'r' });
      expect(bench.wakes.sent).toHaveLength(wakes);
    };
    await start(bench);
    await bench.driveAll();
    expect(wakes).toBe(1);
    expect(statuses(bench)).toEqual(['CANCELLED']);
  });

  it('lets the same request answer for a run that it ended, and no second run starts', async () => {
    const bench = await ended('CANCELLED');
    expect(await start(bench)).toEqual({ kind: 'accepted', runId: 'r', again: true });
    await bench.driveAll();
    expect(statuses(bench)).toEqual(['CANCELLED']);
  });
});

describe('a redrive', () => {
  it('of a run that is not known does nothing', async () => {
    const bench = newBench();
    expect(await bench.accept(redrive)).toEqual({ kind: 'nothing-to-do', runId: 'r', why: 'there is no such run' });
    expect(bench.items.items()).toEqual([]);
  });

  it.each(['COMPLETED', 'CANCELLED'] as const)('of a %s run leaves it as it is', async (outcome) => {
    const bench = await ended(outcome);
    const before = bench.items.items();
    expect(await bench.accept(redrive)).toEqual({
      kind: 'nothing-to-do',
      runId: 'r',
      why: `the run is ${outcome}: only FAILED and BLOCKED ones can be redriven`,
    });
    expect(bench.items.items()).toEqual(before);
  });

  it('of a run that waits to be driven leaves it as it is', async () => {
    const bench = newBench();
    await start(bench);
    expect(await bench.accept(redrive)).toMatchObject({ kind: 'nothing-to-do' });
    await bench.driveAll();
    expect(statuses(bench)).toEqual(['COMPLETED']);
  });

  it.each([
    ['without a key', {}],
    ['with a key', { key: 'k' }],
  ])('of a FAILED run lets it complete, twice in a row included: %s', async (_name, more) => {
    const bench = await ended('FAILED', more);
    expect(await bench.accept(redrive)).toEqual({ kind: 'redriven', runId: 'r' });
    expect(await bench.accept(redrive)).toMatchObject({ kind: 'nothing-to-do' });
    await bench.driveAll();
    expect(statuses(bench)).toEqual(['FAILED', 'COMPLETED']);
  });

  it('of a FAILED run that is older than its age leaves it as it is', async () => {
    const bench = await ended('FAILED');
    bench.clock.advanceBy(31 * DAY);
    expect(await bench.accept(redrive)).toEqual({
      kind: 'nothing-to-do',
      runId: 'r',
      why: 'it is older than "run.max-age-days"',
    });
  });
});
