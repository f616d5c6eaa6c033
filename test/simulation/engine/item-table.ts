import type { Item, ItemKey, PartitionQuery } from '../../../lib/ports/item-store.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';
import type { Answer, ParkedCall } from './gated-process.ts';
import { Interner } from './interner.ts';

/** Items of a table by the number of their place; 0: nothing stands there. */
export type ItemNumbers = readonly number[];

/** What a store call answers and changes. */
export interface StoreEffect {
  readonly answer: number;
  /** The place that was written, and the item that stands there now. */
  readonly written?: { readonly place: number; readonly item: number };
}

/** A store call with what is known of it without the table. */
interface Operation {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly pk: string;
  /** The one item that the call is about; absent for a query. */
  readonly place: number | undefined;
}

const MAX_ITEMS = 2 ** 26;

/**
 * The table as numbers. Each store call is executed once, by the in-memory store, on each content of the items that it is about,
 * and looked up from then on.
 */
export class ItemTable {
  readonly places = new Interner<ItemKey>();
  private readonly partitions = new Map<string, readonly number[]>();
  private readonly items = new Interner<Item>();
  private readonly operations = new Map<ParkedCall, { readonly id: number; readonly operation: Operation }>();
  private readonly operationIds = new Interner<readonly [string, readonly unknown[]]>();
  /** By operation and item, or by operation and the items of its partition. */
  private readonly effects = new Map<number | string, StoreEffect>();
  private readonly answers: Interner<Answer>;

  constructor(answers: Interner<Answer>) {
    this.answers = answers;
  }

  place(key: ItemKey): number {
    const known = this.places.size;
    const place = this.places.id({ pk: key.pk, sk: key.sk });
    if (place === known) this.partitions.set(key.pk, [...this.placesOf(key.pk), place]);
    return place;
  }

  item(number: number | undefined): Item | undefined {
    return number === undefined || number === 0 ? undefined : this.items.value(number - 1);
  }

  number(item: Item): number {
    return this.items.id(sorted(item)) + 1;
  }

  /** What `call` does to these items. */
  effect(call: ParkedCall, numbers: ItemNumbers): StoreEffect | Promise<StoreEffect> {
    const { id, operation } = this.operationOf(call);
    const name =
      operation.place === undefined
        ? `${id} ${this.placesOf(operation.pk).map((place) => numbers[place] ?? 0)}`
        : id * MAX_ITEMS + (numbers[operation.place] ?? 0);
    return this.effects.get(name) ?? this.compute(name, operation, numbers);
  }

  private async compute(name: number | string, operation: Operation, numbers: ItemNumbers): Promise<StoreEffect> {
    const { method, args, pk, place } = operation;
    const store = await this.storeOf(place === undefined ? this.placesOf(pk) : [place], numbers);
    const perform = store[method as 'get'].bind(store) as (...args: readonly unknown[]) => Promise<unknown>;
    const answer = this.answers.id({ kind: 'value', value: await perform(...args) });
    const after = place === undefined ? 0 : this.numberOf(store.items()[0]);
    const changed = place !== undefined && after !== (numbers[place] ?? 0);
    const effect = { answer, ...(changed ? { written: { place, item: after } } : {}) };
    this.effects.set(name, effect);
    return effect;
  }

  /** A real store with some of the items. */
  async storeOf(places: readonly number[], numbers: ItemNumbers): Promise<InMemoryItemStore> {
    const store = new InMemoryItemStore();
    for (const place of places) {
      const item = this.item(numbers[place]);
      if (item) await store.put(item);
    }
    return store;
  }

  private numberOf(item: Item | undefined): number {
    return item === undefined ? 0 : this.number(item);
  }

  /** The places of a partition that were ever asked for. */
  private placesOf(pk: string): readonly number[] {
    return this.partitions.get(pk) ?? [];
  }

  private operationOf(call: ParkedCall): { readonly id: number; readonly operation: Operation } {
    const known = this.operations.get(call);
    if (known) return known;
    const method = call.name.slice('items.'.length);
    const id = this.operationIds.id([method, call.args]);
    const key = call.args[0] as ItemKey | PartitionQuery;
    const entry = {
      id,
      operation: { method, args: call.args, pk: key.pk, place: 'sk' in key ? this.place(key) : undefined },
    };
    this.operations.set(call, entry);
    return entry;
  }
}

/** Equal items have equal numbers, in whatever order their attributes were written. */
const sorted = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as Item;
