import type { Condition, Item, ItemChange, ItemStore, ScalarValue, WriteResult } from '../ports/item-store.ts';
import { all, any, atMost, below, equal, exists, isNew, not, oneOf } from './conditions.ts';
import { runKey } from './keys.ts';
import {
  fromRunItem,
  type RunAttribute,
  type RunOutcome,
  type RunRecord,
  type RunStatus,
  runAttribute,
  toRunAttributes,
  toRunItem,
} from './run-record.ts';

/** `refused`: the condition did not hold; `run` is what stands there. */
export type RunWriteResult =
  | { readonly kind: 'written'; readonly run: RunRecord }
  | { readonly kind: 'refused'; readonly run: RunRecord | undefined };

const is = <Name extends RunAttribute>(name: Name, value: NonNullable<RunRecord[Name]> & ScalarValue): Condition =>
  equal(runAttribute(name), value);
const has = (name: RunAttribute): Condition => ({ kind: 'present', attribute: runAttribute(name) });
const lacks = (name: RunAttribute): Condition => ({ kind: 'absent', attribute: runAttribute(name) });

/** The driver of this epoch still owns the run. */
const driven = (epoch: number): Condition => all(exists, is('epoch', epoch), is('status', 'RUNNING'), has('owner'));
const ENDED = ['COMPLETING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

/** The RUN items: every change a run's record can go through, each one conditional write. Steps are named as in the store protocol. */
export class RunStore {
  private readonly items: ItemStore;

  constructor(items: ItemStore) {
    this.items = items;
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    const item = await this.items.get(runKey(runId));
    return item && fromRunItem(item);
  }

  /** A2. A record that has expired but was not deleted yet does not count. */
  async create(run: RunRecord, now: number): Promise<RunWriteResult> {
    return fromWrite(await this.items.put(toRunItem(run), any(isNew, below('ttl', Math.floor(now / 1000)))));
  }

  /** D3: takes the lease. `seen` is the record of D1; the run must stand as it was seen. */
  async claim(seen: RunRecord, claim: Partial<RunRecord>, now: number): Promise<RunWriteResult> {
    const condition = all(
      exists,
      is('epoch', seen.epoch),
      is('status', seen.status),
      unleased(now),
      ...sameCancelMark(seen),
    );
    return this.update(seen.runId, claim, condition, {
      remove: ['notBefore', 'waitingFor', ...(claim.outcome ? CLAIM_FIELDS : [])],
    });
  }

  /** D5: prolongs the lease; returns the record, whose `cancelMark` the driver looks at. */
  async renew(
    runId: string,
    epoch: number,
    change: Pick<RunRecord, 'leaseUntil' | 'dueAt' | 'settleOrder'>,
  ): Promise<RunWriteResult> {
    return this.update(runId, change, driven(epoch));
  }

  /** D7: fixes the outcome. Only CANCELLED may be fixed when the cancel mark is there. */
  async fixOutcome(
    runId: string,
    epoch: number,
    change: { outcome: RunOutcome; error?: string; dueAt?: number },
  ): Promise<RunWriteResult> {
    const marks = change.outcome === 'CANCELLED' ? [] : [lacks('cancelMark')];
    return this.update(runId, { status: 'COMPLETING', ...change }, all(driven(epoch), ...marks));
  }

  /** D6: nothing is left to do before something happens outside. Refused when something has, since `wakeCount` was read. */
  async suspend(
    runId: string,
    epoch: number,
    wakeCount: number,
    change: { readonly waitingFor: readonly string[]; readonly dueAt: number },
  ): Promise<RunWriteResult> {
    const suspended = { status: 'SUSPENDED', wakeCountAtSuspension: wakeCount, ...change } as const;
    return this.update(runId, suspended, all(driven(epoch), is('wakeCount', wakeCount), lacks('cancelMark')), {
      remove: CLAIM_FIELDS,
    });
  }

  /** D2a: somebody looked at a suspended run and found nothing new. */
  async keepSuspended(seen: RunRecord, dueAt: number): Promise<RunWriteResult> {
    const condition = all(exists, is('epoch', seen.epoch), is('status', 'SUSPENDED'), is('wakeCount', seen.wakeCount));
    return this.update(seen.runId, { dueAt, wakeCountAtSuspension: seen.wakeCount }, condition);
  }

  /**
   * Tells a driven or suspended run that something was recorded for it, and when somebody must look in case the wake is lost.
   * @param ordinal of what it waited for
   */
  async markNews(runId: string, dueAt: number, ordinal?: number): Promise<RunWriteResult> {
    return this.update(runId, { dueAt }, all(exists, oneOf(runAttribute('status'), ['RUNNING', 'SUSPENDED'])), {
      add: { wakeCount: 1 },
      ...(ordinal === undefined ? {} : { take: { waitingFor: [String(ordinal)] } }),
    });
  }

  /** The same for a run that waits for its key or for a redrive: those wake it, and it need not be looked at before. */
  async markAsleep(runId: string, status: RunStatus): Promise<RunWriteResult> {
    return this.update(runId, {}, all(exists, is('status', status)), { add: { wakeCount: 1 } });
  }

  /** D8 and `continue`: gives the lease back; the run is looked at again at `dueAt`. */
  async release(runId: string, epoch: number, change: Partial<RunRecord>): Promise<RunWriteResult> {
    return this.update(runId, change, all(exists, is('epoch', epoch), is('status', 'RUNNING')), {
      remove: CLAIM_FIELDS,
    });
  }

  /** D9. */
  async block(
    runId: string,
    epoch: number,
    change: { error: string; dueAt: number; attempts: number },
  ): Promise<RunWriteResult> {
    return this.update(runId, { status: 'BLOCKED', ...change }, all(driven(epoch), lacks('cancelMark')), {
      remove: CLAIM_FIELDS,
    });
  }

  /** E7. A FAILED run stays in the index, apart, until it expires. */
  async finish(
    run: RunRecord,
    outcome: RunOutcome,
    failedIndex: { shard: string; dueAt: number },
  ): Promise<RunWriteResult> {
    const condition = all(exists, is('status', 'COMPLETING'), is('epoch', run.epoch));
    const listed = outcome === 'FAILED' ? failedIndex : {};
    const unlisted: readonly RunAttribute[] = outcome === 'FAILED' ? [] : ['dueAt', 'shard'];
    return this.update(run.runId, { status: outcome, ...listed }, condition, {
      remove: [...CLAIM_FIELDS, ...unlisted],
    });
  }

  /** A parked run that nobody need look at before its age is up, unless it was given the key since `wakeCount` was read. */
  async park(runId: string, wakeCount: number, dueAt: number): Promise<RunWriteResult> {
    return this.update(runId, { dueAt }, all(exists, is('status', 'PARKED'), is('wakeCount', wakeCount)));
  }

  /** K3: the run holds its key now and is due. */
  async handOver(runId: string, dueAt: number): Promise<RunWriteResult> {
    return this.update(runId, { dueAt }, all(exists, is('status', 'PARKED')), { add: { wakeCount: 1 } });
  }

  /** Leaves the cancel mark on a run that has not begun to end. */
  async markCancelled(runId: string, now: number): Promise<RunWriteResult> {
    return this.update(runId, { cancelMark: 1, dueAt: now }, all(exists, not(oneOf(runAttribute('status'), ENDED))), {
      add: { wakeCount: 1 },
    });
  }

  /** A BLOCKED run goes on. */
  async unblock(runId: string, now: number): Promise<RunWriteResult> {
    return this.update(runId, { status: 'RUNNING', attempts: 0, dueAt: now }, all(exists, is('status', 'BLOCKED')), {
      add: { epoch: 1, wakeCount: 1 },
      remove: ['notBefore'],
    });
  }

  /** A FAILED run begins a new life over its journal. */
  async revive(run: RunRecord, shard: string, now: number): Promise<RunWriteResult> {
    const change = {
      status: run.key === undefined ? 'RUNNING' : 'PARKED',
      attempts: 0,
      lifeEpoch: run.epoch + 1,
      dueAt: now,
      shard,
    } as const;
    return this.update(run.runId, change, all(exists, is('status', 'FAILED'), is('redrives', run.redrives)), {
      add: { epoch: 1, wakeCount: 1, redrives: 1 },
      remove: ['outcome', 'error', 'cancelMark', 'neverDriven', 'notBefore'],
    });
  }

  private async update(
    runId: string,
    set: Partial<RunRecord>,
    condition: Condition,
    more: {
      readonly add?: { readonly [Name in RunAttribute]?: number };
      readonly remove?: readonly RunAttribute[];
      readonly take?: { readonly [Name in RunAttribute]?: readonly string[] };
    } = {},
  ): Promise<RunWriteResult> {
    const change: ItemChange = {
      set: toRunAttributes(set),
      ...(more.add
        ? { add: toRunAttributes(more.add as unknown as Partial<RunRecord>) as Record<string, number> }
        : {}),
      ...(more.remove ? { remove: more.remove.map(runAttribute) } : {}),
      ...(more.take
        ? { take: toRunAttributes(more.take as unknown as Partial<RunRecord>) as Record<string, readonly string[]> }
        : {}),
    };
    return fromWrite(await this.items.update(runKey(runId), change, condition));
  }
}

/** What only a driven run has. */
const CLAIM_FIELDS: readonly RunAttribute[] = ['owner', 'leaseUntil'];

const unleased = (now: number): Condition => any(lacks('leaseUntil'), atMost(runAttribute('leaseUntil'), now));

/** A claim that goes on needs a run without cancel mark; one that ends a cancelled run needs the mark it saw. */
const sameCancelMark = (seen: RunRecord): readonly Condition[] => [
  seen.cancelMark === undefined ? lacks('cancelMark') : has('cancelMark'),
];

function fromWrite(result: WriteResult): RunWriteResult {
  if (result.kind === 'written') return { kind: 'written', run: fromRunItem(result.item) };
  return { kind: 'refused', run: result.item && fromRunItem(result.item as Item) };
}
