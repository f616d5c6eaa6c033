import type { Item } from '../ports/item-store.ts';
import { dueEntryBytes, itemBytes } from './item-size.ts';

/** The operations of an item store. */
export type StoreOperation = 'get' | 'query' | 'queryDue' | 'put' | 'update' | 'delete';

/** What an operation cost so far. */
export interface OperationUsage {
  readonly calls: number;
  readonly units: number;
}

/** What a store cost so far. */
export interface StoreUsage {
  readonly reads: number;
  readonly writes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** The items that a write found and left (for a refused one: would have left). */
export interface WriteEffect {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly applied: boolean;
}

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;
const NOTHING: OperationUsage = { calls: 0, units: 0 };

/** Counts reads and writes and their units by DynamoDB's rules for on-demand tables. */
export class StoreMeter {
  readonly #usage = new Map<StoreOperation, OperationUsage>();

  /** Usage of one operation. */
  operation(name: StoreOperation): OperationUsage {
    return this.#usage.get(name) ?? NOTHING;
  }

  /** Usage of all operations together. */
  get total(): StoreUsage {
    const reads = (['get', 'query', 'queryDue'] as const).map((name) => this.operation(name));
    const writes = (['put', 'update', 'delete'] as const).map((name) => this.operation(name));
    return {
      reads: sum(reads, 'calls'),
      writes: sum(writes, 'calls'),
      readUnits: sum(reads, 'units'),
      writeUnits: sum(writes, 'units'),
    };
  }

  /** Starts counting from nothing. */
  reset(): void {
    this.#usage.clear();
  }

  /** A strongly consistent read: the sum of the sizes is rounded, and reading nothing costs one unit. */
  countRead(name: 'get' | 'query', items: readonly Item[]): void {
    const bytes = items.reduce((total, item) => total + itemBytes(item), 0);
    this.#count(name, Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)));
  }

  /** A read of the index is eventually consistent and costs half. */
  countDueRead(items: readonly Item[]): void {
    const bytes = items.reduce((total, item) => total + dueEntryBytes(item), 0);
    this.#count('queryDue', Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) / 2);
  }

  /** A write costs the larger of the whole item before and after, refused or not; an applied one also what it changes in the index. */
  countWrite(name: 'put' | 'update' | 'delete', { before, after, applied }: WriteEffect): void {
    const units = Math.max(1, writeUnits(before && itemBytes(before)), writeUnits(after && itemBytes(after)));
    this.#count(name, units + (applied ? dueIndexUnits(before, after) : 0));
  }

  #count(name: StoreOperation, units: number): void {
    const { calls, units: before } = this.operation(name);
    this.#usage.set(name, { calls: calls + 1, units: before + units });
  }
}

// Entering and leaving the index is one write of its entry each; a changed key is both; an unchanged one is none.
function dueIndexUnits(before: Item | undefined, after: Item | undefined): number {
  if (before?.gs === after?.gs && before?.du === after?.du) {
    return 0;
  }
  return writeUnits(dueEntryBytes(before)) + writeUnits(dueEntryBytes(after));
}

function writeUnits(bytes = 0): number {
  return Math.ceil(bytes / WRITE_UNIT_BYTES);
}

function sum(usages: readonly OperationUsage[], field: keyof OperationUsage): number {
  return usages.reduce((total, usage) => total + usage[field], 0);
}
