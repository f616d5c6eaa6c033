import type { AttributeValue, Item, ItemChange, ItemKey } from '../ports/item-store.ts';

type MutableItem = Record<string, AttributeValue> & ItemKey;

/** The item after the change; its sets in any order. */
export function applyChange(item: Item, { set = {}, add = {}, remove = [], take = {} }: ItemChange): Item {
  const after: MutableItem = { ...item, ...set };
  for (const [name, amount] of Object.entries(add)) {
    const value = after[name];
    after[name] = typeof value === 'number' ? value + amount : amount;
  }
  for (const name of remove) {
    delete after[name];
  }
  for (const [name, members] of Object.entries(take)) {
    takeFrom(after, name, members);
  }
  return after;
}

/** Whether the change creates a missing item: only what is set or added does. */
export function mayCreate({ set = {}, add = {} }: ItemChange): boolean {
  return Object.keys(set).length + Object.keys(add).length > 0;
}

/** A copy that shares nothing with the item, its sets sorted. */
export function copyItem(item: Item): Item {
  const copy: MutableItem = { ...item };
  for (const [name, value] of Object.entries(copy)) {
    if (typeof value === 'object') {
      copy[name] = value.toSorted();
    }
  }
  return copy;
}

function takeFrom(item: MutableItem, name: string, members: readonly string[]): void {
  const value = item[name];
  if (typeof value !== 'object') {
    return;
  }
  const taken = new Set(members);
  const left = value.filter((member) => !taken.has(member));
  if (left.length === 0) {
    delete item[name];
  } else {
    item[name] = left;
  }
}
