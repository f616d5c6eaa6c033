import type { Item } from '../ports/item-store.ts';
import { compareUtf8 } from './utf8.ts';

/** The items of one partition key, in the order of their sort keys. */
export class SortedPartition {
  readonly #items = new Map<string, Item>();
  readonly #order: string[] = [];

  get(sk: string): Item | undefined {
    return this.#items.get(sk);
  }

  set(item: Item): void {
    if (!this.#items.has(item.sk)) {
      this.#order.splice(this.#position(item.sk), 0, item.sk);
    }
    this.#items.set(item.sk, item);
  }

  delete(sk: string): void {
    if (this.#items.delete(sk)) {
      this.#order.splice(this.#position(sk), 1);
    }
  }

  /** Items whose sort key begins with `prefix`, at most `limit`. */
  select(prefix = '', limit = Number.POSITIVE_INFINITY): Item[] {
    const found: Item[] = [];
    for (let index = this.#position(prefix); index < this.#order.length && found.length < limit; index += 1) {
      const item = this.#items.get(this.#order[index] ?? '');
      if (item === undefined || !item.sk.startsWith(prefix)) {
        break;
      }
      found.push(item);
    }
    return found;
  }

  #position(sk: string): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.#order[middle] ?? '', sk) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
