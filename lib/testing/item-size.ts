import type { AttributeValue, Item } from '../ports/item-store.ts';
import { utf8Length } from './utf8.ts';

/** Size of an item as DynamoDB counts it: names and values of all attributes. */
export function itemBytes(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8Length(name) + valueBytes(value), 0);
}

/** Size of an item's entry in the index by due time, or 0 when the item is not in it. The index holds keys only. */
export function dueEntryBytes(item: Item | undefined): number {
  if (item?.gs === undefined || item.du === undefined) {
    return 0;
  }
  return itemBytes({ pk: item.pk, sk: item.sk, gs: item.gs, du: item.du });
}

function valueBytes(value: AttributeValue): number {
  switch (typeof value) {
    case 'string':
      return utf8Length(value);
    case 'number':
      return numberBytes(value);
    default:
      // A set is its members: unlike a list it has no overhead.
      return value.reduce((sum, member) => sum + utf8Length(member), 0);
  }
}

// One byte for two significant digits and one more; another one for the sign.
function numberBytes(value: number): number {
  if (value === 0) {
    return 1;
  }
  const digits = String(Math.abs(value)).replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
}
