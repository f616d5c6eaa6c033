import { defineAgent, EventType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { dueShard, dueShards, failedShard, failedShards } from '../../../lib/runner/due-index.ts';
import { sweepRuns } from '../../../lib/runner/sweep-runs.ts';
import { DriveBench } from './support/drive-bench.ts';

const idle = defineAgent({ name: 'idle' }).addAction('act', EventType.InputEvent, () => {});
const failing = defineAgent({ name: 'idle' }).addAction('act', EventType.InputEvent, () =>
  Promise.reject(new Error('no')),
);
const hanging = defineAgent({ name: 'idle' }).addAction('act', EventType.InputEvent, () => new Promise<void>(() => {}));

/** Sweeps and gives the ids of the runs that it woke. */
async function sweep(bench: DriveBench): Promise<readonly string[]> {
  const before = bench.wakes.sent.length;
  const { woken } = await sweepRuns(bench);
  const wakes = bench.wakes.sent.slice(before).map(({ wake }) => wake);
  expect(wakes.every(({ reason }) => reason === 'due')).toBe(true);
  expect(wakes).toHaveLength(woken);
  return wakes.map(({ runId }) => runId).sort();
}

describe('the sweep', () => {
  it('wakes a run whose wake was lost, a minute after it was accepted', async () => {
    const bench = new DriveBench([idle]);
    await bench.begin('a/ü#1', null);
    bench.clock.advanceBy(59_999);
    expect(await sweep(bench)).toEqual([]);
    bench.clock.advanceBy(1);
    expect(await sweep(bench)).toEqual(['a/ü#1']);
    await bench.drive('a/ü#1');
    bench.clock.advanceBy(86_400_000);
    expect(await sweep(bench)).toEqual([]);
  });

  it('wakes a run whose driver died, when its lease is over', async () => {
    const bench = new DriveBench([hanging]);
    await bench.begin('r', null);
    const dying = bench.process();
    void dying.drive('r');
    await bench.pass(30_000);
    dying.freeze();
    await bench.pass(49_999);
    expect(await sweep(bench)).toEqual([]);
    bench.clock.advanceBy(1);
    expect(await sweep(bench)).toEqual(['r']);
  });

  it('wakes a run whose retry was lost, when its wait is over', async () => {
    const bench = new DriveBench([failing]);
    await bench.begin('r', null);
    await bench.drive('r');
    bench.clock.advanceBy(999);
    expect(await sweep(bench)).toEqual([]);
    bench.clock.advanceBy(1);
    expect(await sweep(bench)).toEqual(['r']);
  });

  it('wakes what is due and nothing else: not the finished, not the FAILED ones in their own list', async () => {
    const bench = new DriveBench([failing]);
    await bench.begin('failed', null);
    await bench.settle('failed');
    expect(await bench.run('failed')).toMatchObject({ status: 'FAILED', shard: failedShard('failed') });
    bench.clock.advanceBy(365 * 86_400_000);
    expect(await sweep(bench)).toEqual([]);
  });
});

describe('the shards of the index', () => {
  it('take the runs evenly, those that failed apart', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 8_000; n += 1) counts.set(dueShard(`run-${n}`), (counts.get(dueShard(`run-${n}`)) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([...dueShards()].sort());
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
    expect(failedShards()).toContain(failedShard('r'));
    expect(new Set([...dueShards(), ...failedShards()]).size).toBe(16);
  });
});
