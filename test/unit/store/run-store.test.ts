import { describe, expect, it } from 'vitest';
import { fromRunItem, type RunRecord, type RunStatus, toRunItem } from '../../../lib/store/run-record.ts';
import { RunStore, type RunWriteResult } from '../../../lib/store/run-store.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';

const NOW = 1_000_000;

const record = (more: Partial<RunRecord> = {}): RunRecord => ({
  runId: 'r',
  agent: 'a',
  status: 'RUNNING',
  epoch: 3,
  wakeCount: 5,
  attempts: 1,
  factsAtClaim: 0,
  redrives: 0,
  dueAt: NOW + 60_000,
  shard: 'due#1',
  digest: 'digest',
  sequence: '0'.repeat(39),
  hops: 0,
  createdAt: NOW,
  ttl: NOW,
  ...more,
});

const driven = { owner: 'me', leaseUntil: NOW + 60_000 };
const STATUSES: readonly RunStatus[] = [
  'PARKED',
  'RUNNING',
  'SUSPENDED',
  'BLOCKED',
  'COMPLETING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
];

/** A store with that run in it. */
async function storeOf(run?: RunRecord) {
  const items = new InMemoryItemStore();
  if (run) await items.put(toRunItem(run));
  return { items, runs: new RunStore(items) };
}

type Write = (runs: RunStore, run: RunRecord) => Promise<RunWriteResult>;

const fixCompleted: Write = (runs) => runs.fixOutcome('r', 3, { outcome: 'COMPLETED', dueAt: NOW });
const fixCancelled: Write = (runs) => runs.fixOutcome('r', 3, { outcome: 'CANCELLED', dueAt: NOW });
const writes: Readonly<Record<string, Write>> = {
  claim: (runs, run) => runs.claim(run, { status: 'RUNNING', epoch: run.epoch + 1, ...driven }, NOW),
  renew: (runs) => runs.renew('r', 3, { leaseUntil: NOW + 1, dueAt: NOW + 1 }),
  fixCompleted,
  fixCancelled,
  suspend: (runs, run) => runs.suspend('r', 3, run.wakeCount, { waitingFor: ['1', '2'], dueAt: NOW }),
  keepSuspended: (runs, run) => runs.keepSuspended(run, NOW),
  markNews: (runs) => runs.markNews('r', NOW, 1),
  markAsleep: (runs) => runs.markAsleep('r', 'PARKED'),
  release: (runs) => runs.release('r', 3, { dueAt: NOW }),
  block: (runs) => runs.block('r', 3, { error: '{}', dueAt: NOW, attempts: 0 }),
  finish: (runs, run) => runs.finish(run, 'COMPLETED', { shard: 'failed#1', dueAt: NOW }),
  park: (runs, run) => runs.park('r', run.wakeCount, NOW),
  handOver: (runs) => runs.handOver('r', NOW),
  markCancelled: (runs) => runs.markCancelled('r', NOW),
  unblock: (runs) => runs.unblock('r', NOW),
  revive: (runs, run) => runs.revive(run, 'due#1', NOW),
};

/** Statuses in which a write is accepted; the run is driven when it is RUNNING. A claim wants what it saw; `decideWake` says of which. */
const ACCEPTED: Readonly<Record<string, readonly RunStatus[]>> = {
  claim: STATUSES.filter((status) => status !== 'RUNNING'),
  renew: ['RUNNING'],
  fixCompleted: ['RUNNING'],
  fixCancelled: ['RUNNING'],
  suspend: ['RUNNING'],
  keepSuspended: ['SUSPENDED'],
  markNews: ['RUNNING', 'SUSPENDED'],
  markAsleep: ['PARKED'],
  release: ['RUNNING'],
  block: ['RUNNING'],
  finish: ['COMPLETING'],
  park: ['PARKED'],
  handOver: ['PARKED'],
  markCancelled: ['PARKED', 'RUNNING', 'SUSPENDED', 'BLOCKED'],
  unblock: ['BLOCKED'],
  revive: ['FAILED'],
};

describe.each(Object.entries(writes))('%s', (name, write) => {
  it.each(STATUSES)('of a %s run is accepted only where the protocol says so', async (status) => {
    const run = record({ status, ...(status === 'RUNNING' ? driven : {}) });
    const { items, runs } = await storeOf(run);
    const result = await write(runs, run);
    expect(result.kind).toBe(ACCEPTED[name]?.includes(status) ? 'written' : 'refused');
    if (result.kind === 'refused') {
      expect(result.run).toEqual(run);
      expect(items.items().map(fromRunItem)).toEqual([run]);
    } else {
      expect(items.items().map(fromRunItem)).toEqual([result.run]);
    }
  });

  it('never brings a deleted run back', async () => {
    const { items, runs } = await storeOf();
    expect(await write(runs, record())).toEqual({ kind: 'refused', run: undefined });
    expect(items.items()).toEqual([]);
  });
});

describe('a write of a driver', () => {
  it.each(['renew', 'fixCompleted', 'fixCancelled', 'release', 'block', 'finish'])(
    'of another epoch is refused: %s',
    async (name) => {
      for (const epoch of [2, 4]) {
        const status = name === 'finish' ? 'COMPLETING' : 'RUNNING';
        const { runs } = await storeOf(record({ epoch, status, ...driven }));
        expect((await writes[name]?.(runs, record()))?.kind).toBe('refused');
      }
    },
  );

  it.each(['renew', 'fixCompleted', 'fixCancelled', 'block'])(
    'whose lease was given back is refused: %s',
    async (name) => {
      const { runs } = await storeOf(record());
      expect((await writes[name]?.(runs, record()))?.kind).toBe('refused');
    },
  );

  it.each([
    ['fixCompleted', 'refused'],
    ['block', 'refused'],
    ['fixCancelled', 'written'],
    ['renew', 'written'],
    ['release', 'written'],
  ])('%s of a run with a cancel mark is %s', async (name, kind) => {
    const { runs } = await storeOf(record({ ...driven, cancelMark: 1 }));
    const result = await writes[name]?.(runs, record());
    expect(result?.kind).toBe(kind);
    expect(result?.run?.cancelMark).toBe(1);
  });
});

describe('claim', () => {
  const claim = (runs: RunStore, seen: RunRecord, now = NOW) =>
    runs.claim(seen, { status: 'RUNNING', epoch: seen.epoch + 1, ...driven }, now);

  it('takes a run whose lease is over, at its very end, and drops the wait before it', async () => {
    const seen = record({ owner: 'other', leaseUntil: NOW, notBefore: NOW - 1 });
    const { runs } = await storeOf(seen);
    expect((await claim(runs, seen, NOW - 1)).kind).toBe('refused');
    const taken = await claim(runs, seen, NOW);
    expect(taken).toMatchObject({ kind: 'written', run: { epoch: 4, owner: 'me' } });
    expect(taken.run).not.toHaveProperty('notBefore');
  });

  it('is refused when the run changed since it was seen, and then tells how', async () => {
    const seen = record();
    for (const change of [{ epoch: 4 }, { status: 'BLOCKED' as const }, { cancelMark: 1 }]) {
      const { runs } = await storeOf(record(change));
      expect(await claim(runs, seen)).toMatchObject({ kind: 'refused', run: change });
    }
  });

  it('is won by one of two', async () => {
    const seen = record();
    const { runs } = await storeOf(seen);
    const results = await Promise.all([claim(runs, seen), claim(runs, seen)]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['refused', 'written']);
  });

  it('that ends a run takes the lease off, and needs the cancel mark that it saw', async () => {
    const seen = record({ cancelMark: 1, owner: 'dead', leaseUntil: NOW - 1 });
    const { runs } = await storeOf(seen);
    const result = await runs.claim(seen, { status: 'COMPLETING', outcome: 'CANCELLED', epoch: 4 }, NOW);
    expect(result).toMatchObject({ kind: 'written', run: { status: 'COMPLETING', outcome: 'CANCELLED' } });
    expect(result.run).not.toHaveProperty('owner');
    expect(result.run).not.toHaveProperty('leaseUntil');
  });
});

describe('a suspension', () => {
  const change = { waitingFor: ['4', '7'], dueAt: NOW + 5 };

  it('takes the lease off and keeps the wake count, so that a later mark is told from an older one', async () => {
    const { runs } = await storeOf(record(driven));
    const { run } = await runs.suspend('r', 3, 5, change);
    expect(run).toMatchObject({ status: 'SUSPENDED', wakeCount: 5, wakeCountAtSuspension: 5, ...change });
    expect(run).not.toHaveProperty('owner');
    expect(run).not.toHaveProperty('leaseUntil');
  });

  it.each<[string, Partial<RunRecord>]>([
    ['a mark was left', { wakeCount: 6 }],
    ['the run is to be cancelled', { cancelMark: 1 }],
    ['somebody else drives it', { epoch: 4 }],
  ])('is refused when %s', async (_name, more) => {
    const { runs } = await storeOf(record({ ...driven, ...more }));
    expect(await runs.suspend('r', 3, 5, change)).toMatchObject({ kind: 'refused', run: { status: 'RUNNING' } });
  });

  it('is prolonged only by whoever saw the last mark', async () => {
    const suspended = record({ status: 'SUSPENDED', wakeCountAtSuspension: 4 });
    const { runs } = await storeOf(suspended);
    await runs.markNews('r', NOW);
    expect(await runs.keepSuspended(suspended, NOW + 9)).toMatchObject({ kind: 'refused' });
    const seen = (await runs.get('r')) ?? suspended;
    expect(await runs.keepSuspended(seen, NOW + 9)).toMatchObject({
      kind: 'written',
      run: { dueAt: NOW + 9, wakeCount: 6, wakeCountAtSuspension: 6 },
    });
  });
});

describe('create', () => {
  it('is done once', async () => {
    const { runs } = await storeOf();
    expect((await runs.create(record({ digest: 'one' }), NOW)).kind).toBe('written');
    expect(await runs.create(record({ digest: 'two' }), NOW)).toMatchObject({
      kind: 'refused',
      run: { digest: 'one' },
    });
  });

  it('replaces a run that has expired, though the table still holds it', async () => {
    const ttl = 500;
    const { runs } = await storeOf(record({ ttl, digest: 'one' }));
    expect((await runs.create(record({ digest: 'two' }), ttl * 1_000 + 999)).kind).toBe('refused');
    expect((await runs.create(record({ digest: 'two' }), (ttl + 1) * 1_000)).kind).toBe('written');
  });
});

describe('the end', () => {
  it.each(['COMPLETED', 'CANCELLED'] as const)('of a %s run takes it out of the index', async (outcome) => {
    const { items, runs } = await storeOf(record({ status: 'COMPLETING', outcome, ...driven }));
    await runs.finish(record(), outcome, { shard: 'failed#1', dueAt: NOW });
    const run = await runs.get('r');
    expect(run).toMatchObject({ status: outcome });
    for (const gone of ['dueAt', 'shard', 'owner', 'leaseUntil'] as const) expect(run?.[gone]).toBeUndefined();
    expect(await items.queryDue({ shard: 'due#1', until: Number.MAX_SAFE_INTEGER, limit: 9 })).toEqual([]);
  });

  it('of a FAILED run lists it apart until it expires', async () => {
    const { items, runs } = await storeOf(record({ status: 'COMPLETING', outcome: 'FAILED', ...driven }));
    await runs.finish(record(), 'FAILED', { shard: 'failed#1', dueAt: 77 });
    expect(await items.queryDue({ shard: 'due#1', until: Number.MAX_SAFE_INTEGER, limit: 9 })).toEqual([]);
    expect(await items.queryDue({ shard: 'failed#1', until: 77, limit: 9 })).toMatchObject([{ dueAt: 77 }]);
  });
});

describe('marks', () => {
  it('are counted, so that whoever saw an older count cannot send the run to sleep', async () => {
    const seen = record({ status: 'PARKED' });
    const { runs } = await storeOf(seen);
    expect(await runs.handOver('r', NOW)).toMatchObject({ run: { wakeCount: 6, dueAt: NOW } });
    expect((await runs.park('r', seen.wakeCount, NOW * 2)).kind).toBe('refused');
    expect((await runs.park('r', 6, NOW * 2)).kind).toBe('written');
    expect(await runs.markCancelled('r', NOW)).toMatchObject({ run: { wakeCount: 7, cancelMark: 1, dueAt: NOW } });
  });
});

describe('redrive', () => {
  it('of a BLOCKED run keeps its life', async () => {
    const { runs } = await storeOf(record({ status: 'BLOCKED', attempts: 4, notBefore: NOW }));
    const { run } = await runs.unblock('r', NOW);
    expect(run).toMatchObject({ status: 'RUNNING', epoch: 4, attempts: 0, redrives: 0, dueAt: NOW, wakeCount: 6 });
    expect(run).not.toHaveProperty('notBefore');
  });

  it.each([
    ['RUNNING', undefined],
    ['PARKED', 'k'],
  ] as const)('of a FAILED run begins a new one: %s', async (status, key) => {
    const failed = record({
      status: 'FAILED',
      outcome: 'FAILED',
      error: '{}',
      attempts: 5,
      neverDriven: 1,
      shard: 'failed#1',
      ...(key === undefined ? {} : { key }),
    });
    const { items, runs } = await storeOf(failed);
    const { run } = await runs.revive(failed, 'due#1', NOW);
    expect(run).toMatchObject({ status, epoch: 4, lifeEpoch: 4, attempts: 0, redrives: 1, dueAt: NOW, shard: 'due#1' });
    for (const gone of ['outcome', 'error', 'cancelMark', 'neverDriven'] as const) expect(run?.[gone]).toBeUndefined();
    expect(await items.queryDue({ shard: 'due#1', until: NOW, limit: 9 })).toHaveLength(1);
    expect((await runs.revive(failed, 'due#1', NOW)).kind).toBe('refused');
  });
});

describe('the record', () => {
  it('comes back as it was stored, whatever it holds', () => {
    const full = record({
      ...driven,
      key: 'k/1',
      outcome: 'FAILED',
      error: 'e',
      cancelMark: 1,
      neverDriven: 1,
      turn: 9,
      notBefore: 1,
      lifeEpoch: 2,
      input: '"x"',
      planDigest: 'p',
      traceparent: 't',
      settleOrder: '0-2.4',
    });
    expect(fromRunItem(toRunItem(full))).toEqual(full);
    expect(fromRunItem(toRunItem(record()))).toEqual(record());
  });

  it('has short names, each once', () => {
    const item = toRunItem(record({ ...driven, key: 'k', settleOrder: '' }));
    const names = Object.keys(item).filter((name) => name !== 'pk' && name !== 'sk');
    expect(names.every((name) => name === 'ttl' || name.length === 2)).toBe(true);
    expect(names).toHaveLength(Object.keys(record({ ...driven, key: 'k', settleOrder: '' })).length);
  });
});
