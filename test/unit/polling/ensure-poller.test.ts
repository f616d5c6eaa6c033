import { beforeEach, describe, expect, it } from 'vitest';
import { ensurePoller, MAX_DEAD_GENERATIONS } from '../../../lib/polling/ensure-poller.ts';
import type { PollRecord } from '../../../lib/store/poll-records.ts';
import { PollStore } from '../../../lib/store/poll-store.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';
import { InMemoryPollScheduler } from '../../../lib/testing/in-memory-poll-scheduler.ts';
import { ManualClock } from '../../../lib/testing/manual-clock.ts';
import { statesOf } from '../subagents/support/simulation.ts';

const RUN = { runId: 'r', ttl: 1_800_000_000 };
const INTERVAL = 1_000;

let items: InMemoryItemStore;
let polls: InMemoryPollScheduler;
let store: PollStore;

beforeEach(() => {
  items = new InMemoryItemStore();
  polls = new InMemoryPollScheduler(new ManualClock());
  store = new PollStore(items, RUN.runId, RUN.ttl);
});

/** Somebody looks, who has read the record just before. */
const look = async (added = false) =>
  ensurePoller({ items, polls }, RUN, { intervalMillis: INTERVAL, known: await store.get(INTERVAL), added });

async function current(): Promise<PollRecord> {
  const record = await store.get(INTERVAL);
  if (record === undefined) throw new Error('There is no record.');
  return record;
}

function killOpen(): void {
  for (const execution of polls.open()) polls.abort(execution);
}

/** The open execution ends as its last round does. */
async function endOpen(how: 'endIdle' | 'endSpent'): Promise<void> {
  expect(await store[how](await current())).toMatchObject({ kind: 'written' });
  for (const execution of polls.open()) execution.status = 'SUCCEEDED';
}

describe('the poller of an interval', () => {
  it('is started by whoever needs it first', async () => {
    expect(await look()).toEqual({ kind: 'polling', foundDead: false });
    expect(polls.executions).toMatchObject([
      { status: 'RUNNING', round: { ...RUN, intervalMillis: INTERVAL, generation: 1 } },
    ]);
    expect(await current()).toEqual({ intervalMillis: INTERVAL, generation: 1, version: 1, on: 1 });
  });

  it('is not started again while it lives, and a look writes nothing', async () => {
    await look();
    items.meter.reset();
    expect(await look()).toEqual({ kind: 'polling', foundDead: false });
    expect(items.meter.total.writes).toBe(0);
    expect(polls.executions).toHaveLength(1);
  });

  it('is told of an added call, so that it does not end under it', async () => {
    await look();
    const seen = await current();
    await look(true);
    expect((await current()).version).toBe(seen.version + 1);
    expect(await store.endIdle(seen)).toMatchObject({ kind: 'refused' });
    expect(polls.executions).toHaveLength(1);
  });

  it('is one, also for two that need it at once', async () => {
    const asked = { intervalMillis: INTERVAL, known: undefined, added: true };
    const both = await Promise.all([
      ensurePoller({ items, polls }, RUN, asked),
      ensurePoller({ items, polls }, RUN, asked),
    ]);
    expect(both).toEqual([
      { kind: 'polling', foundDead: false },
      { kind: 'polling', foundDead: false },
    ]);
    expect(polls.executions).toHaveLength(1);
    expect((await current()).generation).toBe(1);
  });

  it.each(['endIdle', 'endSpent'] as const)('that ended with a word (%s) is followed by the next one', async (how) => {
    await look();
    await endOpen(how);
    expect(await look(true)).toEqual({ kind: 'polling', foundDead: false });
    expect(await current()).toMatchObject({ generation: 2, on: 1, endedGeneration: 1, dead: 0 });
    expect(polls.open()).toMatchObject([{ round: { generation: 2 } }]);
  });

  it('that was closed by the end of its run is followed by the next one when the run lives again', async () => {
    await look();
    await store.close(INTERVAL);
    expect(await current()).toMatchObject({ closed: 1 });
    expect(await look()).toEqual({ kind: 'polling', foundDead: false });
    const record = await current();
    expect(record).toMatchObject({ generation: 2, on: 1 });
    expect(record.closed).toBeUndefined();
  });

  it('is not started over what somebody else has started since the record was read', async () => {
    await look();
    const stale = await current();
    killOpen();
    await look();
    expect(
      await ensurePoller({ items, polls }, RUN, { intervalMillis: INTERVAL, known: stale, added: false }),
    ).toMatchObject({
      kind: 'polling',
    });
    expect(statesOf(polls.executions)).toEqual(['ABORTED', 'RUNNING']);
    expect((await current()).generation).toBe(2);
  });

  it('is not given up for what the scheduler does not answer', async () => {
    await look();
    const start = polls.start.bind(polls);
    polls.start = async () => Promise.reject(new Error('ThrottlingException'));
    await expect(look()).rejects.toThrow('ThrottlingException');
    polls.start = start;
    expect(await look()).toEqual({ kind: 'polling', foundDead: false });
    expect((await current()).dead ?? 0).toBe(0);
  });
});

describe('a poller that dies', () => {
  it('is replaced, and whoever found it dead is told', async () => {
    await look();
    killOpen();
    expect(await look()).toEqual({ kind: 'polling', foundDead: true });
    expect(await current()).toMatchObject({ generation: 2, dead: 1 });
  });

  it(`is given up the ${MAX_DEAD_GENERATIONS}rd time in a row`, async () => {
    await look();
    for (const dead of [1, 2]) {
      killOpen();
      expect(await look()).toEqual({ kind: 'polling', foundDead: true });
      expect((await current()).dead).toBe(dead);
    }
    killOpen();
    expect(await look()).toEqual({ kind: 'given-up' });
    expect(await look()).toEqual({ kind: 'given-up' });
    expect(polls.executions).toHaveLength(3);
  });

  it.each(['endIdle', 'endSpent'] as const)('begins a new row after one that ended with a word (%s)', async (how) => {
    await look();
    killOpen();
    await look();
    killOpen();
    await look();
    await endOpen(how);
    await look(true);
    for (const dead of [1, 2]) {
      killOpen();
      expect(await look()).toEqual({ kind: 'polling', foundDead: true });
      expect((await current()).dead).toBe(dead);
    }
  });

  it('counts once for two that find it at once', async () => {
    await look();
    killOpen();
    const found = await Promise.all([look(), look()]);
    expect(found.every(({ kind }) => kind === 'polling')).toBe(true);
    expect(await current()).toMatchObject({ generation: 2, dead: 1 });
    expect(polls.executions).toHaveLength(2);
  });

  it('begins a new row when its run has ended and lives again', async () => {
    await look();
    killOpen();
    await look();
    killOpen();
    await look();
    await store.close(INTERVAL);
    for (const execution of polls.open()) execution.status = 'SUCCEEDED';
    await look();
    for (const dead of [1, 2]) {
      killOpen();
      expect(await look()).toEqual({ kind: 'polling', foundDead: true });
      expect((await current()).dead).toBe(dead);
    }
  });

  it.each([0, 2])(
    'did not die when it ended with a word just after the record was read, with %d deaths before',
    async (deaths) => {
      await look();
      for (let death = 0; death < deaths; death += 1) {
        killOpen();
        await look();
      }
      const stale = await current();
      expect(stale.dead ?? 0).toBe(deaths);
      await endOpen('endSpent');
      const asked = { intervalMillis: INTERVAL, known: stale, added: false };
      expect(await ensurePoller({ items, polls }, RUN, asked)).toMatchObject({ kind: 'polling' });
      expect(await current()).toMatchObject({ generation: deaths + 2, on: 1, dead: 0 });
    },
  );
});
