/** A place in the table: partition key and sort key, both encoded by `lib/store/keys.ts`. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Text or a whole number: what conditions compare, and all that keys and index attributes may hold. */
export type ScalarValue = string | number;

/**
 * What an attribute may hold. A list of text is a set: no member twice, never empty, and its order is not kept: it comes back sorted.
 * Structured values are stored as encoded text, so that no store maps them in its own way.
 */
export type AttributeValue = ScalarValue | readonly string[];

export interface Item extends ItemKey {
  readonly [attribute: string]: AttributeValue;
}

/** A condition on the stored item. A missing item has no attributes; a comparison with a missing attribute or a set is false. */
export type Condition =
  | { readonly kind: 'absent'; readonly attribute: string }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: 'equal'; readonly attribute: string; readonly value: ScalarValue }
  | { readonly kind: 'below'; readonly attribute: string; readonly value: number }
  | { readonly kind: 'atMost'; readonly attribute: string; readonly value: number }
  | { readonly kind: 'oneOf'; readonly attribute: string; readonly values: readonly ScalarValue[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'all'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'any'; readonly conditions: readonly Condition[] };

/** Changes of one item. No attribute is named twice. `add` counts a missing attribute as 0. */
export interface ItemChange {
  readonly set?: Readonly<Record<string, AttributeValue>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
  /** Members to take out of sets. A member or an attribute that is not there is fine; with its last member the attribute goes. */
  readonly take?: Readonly<Record<string, readonly string[]>>;
}

/** `refused`: the condition did not hold; `item` is what stands there (`undefined`: nothing). */
export type WriteResult =
  | { readonly kind: 'written'; readonly item: Item }
  | { readonly kind: 'refused'; readonly item: Item | undefined };

export interface PartitionQuery {
  readonly pk: string;
  /** Only sort keys that begin with this. @default every item of the partition */
  readonly prefix?: string;
  /** At most so many items, in ascending order of the sort key. @default all */
  readonly limit?: number;
}

export interface DueQuery {
  /** The index partition (attribute `gs`). */
  readonly shard: string;
  /** Items whose `du` (milliseconds since 1970) is at most this. */
  readonly until: number;
  readonly limit: number;
}

export interface DueEntry extends ItemKey {
  readonly dueAt: number;
}

/**
 * The one shared truth: single items, conditional writes, no transactions.
 * Reads are strongly consistent, but a query of a partition reads item after item and is not a snapshot.
 * Every method is one call of the store. A write is atomic; a thrown error leaves open whether it was applied.
 */
export interface ItemStore {
  get(key: ItemKey): Promise<Item | undefined>;
  query(query: PartitionQuery): Promise<readonly Item[]>;
  /** Puts the whole item where `condition` holds. */
  put(item: Item, condition?: Condition): Promise<WriteResult>;
  /**
   * Changes one item where `condition` holds. Creates a missing one when the condition allows that and something is set or added;
   * any other change of a missing item is refused.
   */
  update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult>;
  /** Deletes the item; a missing one is fine. */
  delete(key: ItemKey): Promise<void>;
  /** The sparse index by due time, oldest first. May be stale: it only says where to look. */
  queryDue(query: DueQuery): Promise<readonly DueEntry[]>;
}
