import { describe, expect, it } from 'vitest';
import { sweepRuns } from '../../../lib/runner/sweep-runs.ts';
import { runKey } from '../../../lib/store/keys.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';
import { InMemoryWakeQueue } from '../../../lib/testing/in-memory-queues.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';

const MINUTE = 60_000;

async function deploymentWith(due: Readonly<Record<string, number>>) {
  const clock = new ManualClock();
  const items = new InMemoryItemStore();
  const wakes = new InMemoryWakeQueue(clock);
  for (const [runId, inMillis] of Object.entries(due)) {
    await items.put({ ...runKey(runId), gs: 'due#0', du: clock.now() + inMillis });
  }
  return { clock, items, wakes, woken: () => wakes.sent.map(({ wake }) => wake.runId) };
}

describe('the sweep', () => {
  it('wakes what is due, and nothing else', async () => {
    const { woken, ...ports } = await deploymentWith({ 'late/1': -1, now: 0, soon: 1 });
    expect(await sweepRuns(ports)).toEqual({ woken: 2 });
    expect(woken().toSorted()).toEqual(['late/1', 'now']);
  });

  it('wakes a run that stays due ever more seldom', async () => {
    const { woken, ...ports } = await deploymentWith({ stuck: 0 });
    const minutes: number[] = [];
    for (let minute = 0; minute <= 45; minute += 1) {
      if ((await sweepRuns(ports)).woken === 1) minutes.push(minute);
      ports.clock.advanceBy(MINUTE);
    }
    expect(minutes).toEqual([0, 1, 3, 7, 15, 30, 45]);
    expect(woken()).toHaveLength(7);
  });

  it('does not let runs that stay due keep younger ones waiting', async () => {
    const stuck = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`stuck-${n}`, -2 * MINUTE]));
    const { woken, ...ports } = await deploymentWith({ ...stuck, fresh: -1 });
    await sweepRuns(ports);
    expect(woken()).toEqual(['fresh']);
  });

  it('tries all others when one cannot be woken, and says so', async () => {
    const { woken, ...ports } = await deploymentWith({ a: -3, b: -2, c: -1 });
    const send = ports.wakes.send.bind(ports.wakes);
    ports.wakes.send = async (wake) => {
      if (wake.runId === 'a') throw new Error('no queue');
      await send(wake);
    };
    await expect(sweepRuns(ports)).rejects.toThrow('no queue');
    expect(woken().toSorted()).toEqual(['b', 'c']);
  });

  it('costs one index query a shard, however many runs are not due', async () => {
    const later = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`later-${n}`, MINUTE]));
    const { woken: _, ...ports } = await deploymentWith(later);
    ports.items.meter.reset();
    await sweepRuns(ports);
    expect(ports.items.meter.total).toMatchObject({ reads: 8, readUnits: 4, writes: 0 });
  });
});
