import type {
  Condition,
  DueEntry,
  DueQuery,
  Item,
  ItemChange,
  ItemKey,
  ItemStore,
  PartitionQuery,
  WriteResult,
} from '../ports/item-store.ts';
import { applyChange, copyItem, mayCreate } from './apply-change.ts';
import { evaluateCondition } from './evaluate-condition.ts';
import {
  checkChange,
  checkCondition,
  checkItem,
  checkKey,
  checkOperands,
  checkScalar,
  checkShard,
} from './item-rules.ts';
import { SortedPartition } from './sorted-partition.ts';
import { StoreMeter } from './store-meter.ts';
import { compareUtf8 } from './utf8.ts';

interface DueItem extends Item {
  readonly gs: string;
  readonly du: number;
}

interface PreparedWrite {
  readonly operation: 'put' | 'update';
  readonly before: Item | undefined;
  readonly holds: boolean;
}

const ALWAYS: Condition = { kind: 'all', conditions: [] };

/**
 * The table in memory. Each method takes effect before it returns its promise, so an interleaving of calls is an
 * interleaving of their effects. Refuses what DynamoDB refuses, and counts what DynamoDB charges.
 */
export class InMemoryItemStore implements ItemStore {
  readonly meter = new StoreMeter();
  readonly #partitions = new Map<string, SortedPartition>();
  readonly #due = new Set<DueItem>();

  /** Every item, for assertions; not metered. */
  items(): readonly Item[] {
    const partitions = [...this.#partitions].sort(([left], [right]) => compareUtf8(left, right));
    return partitions.flatMap(([, partition]) => partition.select().map(copyItem));
  }

  async get(key: ItemKey): Promise<Item | undefined> {
    checkKey(key);
    const item = this.#find(key);
    this.meter.countRead('get', item === undefined ? [] : [item]);
    return item && copyItem(item);
  }

  async query({ pk, prefix, limit }: PartitionQuery): Promise<readonly Item[]> {
    checkKey({ pk, sk: prefix || '-' });
    checkLimit(limit);
    const items = this.#partitions.get(pk)?.select(prefix, limit) ?? [];
    this.meter.countRead('query', items);
    return items.map(copyItem);
  }

  async put(item: Item, condition?: Condition): Promise<WriteResult> {
    checkItem(item);
    return this.#finish(this.#prepare('put', item, condition), item);
  }

  async update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    checkKey(key);
    checkChange(change);
    const write = this.#prepare('update', key, mayCreate(change) ? condition : onlyThere(condition));
    if (write.holds) {
      checkOperands(write.before, change);
    }
    return this.#finish(write, applyChange(write.before ?? { pk: key.pk, sk: key.sk }, change));
  }

  async delete(key: ItemKey): Promise<void> {
    checkKey(key);
    const before = this.#find(key);
    this.meter.countWrite('delete', { before, after: undefined, applied: true });
    this.#replace(key, before, undefined);
  }

  async queryDue({ shard, until, limit }: DueQuery): Promise<readonly DueEntry[]> {
    checkShard(shard);
    checkScalar('du', until);
    checkLimit(limit);
    const items = [...this.#due]
      .filter(({ gs, du }) => gs === shard && du <= until)
      .sort(compareDue)
      .slice(0, limit);
    this.meter.countDueRead(items);
    return items.map(({ pk, sk, du }) => ({ pk, sk, dueAt: du }));
  }

  #prepare(operation: 'put' | 'update', key: ItemKey, condition: Condition = ALWAYS): PreparedWrite {
    checkCondition(condition);
    const before = this.#find(key);
    return { operation, before, holds: evaluateCondition(condition, before) };
  }

  #finish({ operation, before, holds }: PreparedWrite, after: Item): WriteResult {
    if (holds) {
      checkItem(after);
    }
    this.meter.countWrite(operation, { before, after, applied: holds });
    if (!holds) {
      return { kind: 'refused', item: before && copyItem(before) };
    }
    this.#replace(after, before, copyItem(after));
    return { kind: 'written', item: copyItem(after) };
  }

  #find({ pk, sk }: ItemKey): Item | undefined {
    return this.#partitions.get(pk)?.get(sk);
  }

  #replace({ pk, sk }: ItemKey, before: Item | undefined, after: Item | undefined): void {
    const partition = this.#partitions.get(pk) ?? new SortedPartition();
    this.#partitions.set(pk, partition);
    if (before !== undefined && isDue(before)) {
      this.#due.delete(before);
    }
    if (after === undefined) {
      partition.delete(sk);
      return;
    }
    partition.set(after);
    if (isDue(after)) {
      this.#due.add(after);
    }
  }
}

function onlyThere(condition: Condition): Condition {
  return { kind: 'all', conditions: [{ kind: 'present', attribute: 'pk' }, condition] };
}

function isDue(item: Item): item is DueItem {
  return typeof item.gs === 'string' && typeof item.du === 'number';
}

function compareDue(left: DueItem, right: DueItem): number {
  return left.du - right.du || compareUtf8(left.pk, right.pk) || compareUtf8(left.sk, right.sk);
}

function checkLimit(limit: number | undefined): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new Error(`Query has limit ${limit}. Ask for at least one item.`);
  }
}
