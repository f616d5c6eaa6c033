import type { AttributeValue as StoredValue } from '@aws-sdk/client-dynamodb';
import type { AttributeValue, Item, ItemKey, ScalarValue } from '../ports/item-store.ts';

/** Attributes as DynamoDB stores them: text as S, numbers as N, sets of text as SS. */
export type StoredItem = Record<string, StoredValue>;

/** @throws Error unless the value comes back as it went in */
export function toStoredValue(name: string, value: AttributeValue): StoredValue {
  return typeof value === 'object' ? toStoredSet(name, value) : toStoredScalar(name, value);
}

/** @throws Error unless it is a set that comes back as it went in, but for its order */
export function toStoredSet(name: string, members: readonly string[]): StoredValue {
  const areTexts = members.every((member) => typeof member === 'string' && member.isWellFormed());
  if (members.length === 0 || !areTexts || new Set(members).size < members.length) {
    throw new Error(`Attribute "${name}" is no set of text. Give it members: well-formed texts, none of them twice.`);
  }
  return { SS: [...members] };
}

/** @throws Error unless the value is text or a number that comes back as it went in */
export function toStoredScalar(name: string, value: ScalarValue): StoredValue {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    return { N: String(value) };
  }
  if (typeof value === 'string' && value.isWellFormed()) {
    return { S: value };
  }
  throw new Error(
    `Attribute "${name}" is ${String(value)}. Store safe integers or well-formed text; encode all else as text.`,
  );
}

/** Maps all attributes of an item. */
export function toStoredItem(item: Item): StoredItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toStoredValue(name, value)]));
}

/** Maps the two attributes of a key. */
export function toStoredKey({ pk, sk }: ItemKey): StoredItem {
  return { pk: toStoredScalar('pk', pk), sk: toStoredScalar('sk', sk) };
}

/** @throws Error when an attribute was not written by this store */
export function fromStoredItem(stored: StoredItem): Item {
  const attributes = Object.entries(stored).map(([name, value]) => [name, fromStoredValue(name, value)] as const);
  return { ...fromStoredKey(stored), ...Object.fromEntries(attributes) };
}

/** @throws Error when the key is not text */
export function fromStoredKey({ pk, sk }: StoredItem): ItemKey {
  if (pk?.S === undefined || sk?.S === undefined) {
    throw new Error('A stored item has no textual pk and sk. Check that the table has the expected key schema.');
  }
  return { pk: pk.S, sk: sk.S };
}

function fromStoredValue(name: string, { S: text, N: number, SS: members }: StoredValue): AttributeValue {
  if (text !== undefined) {
    return text;
  }
  if (members !== undefined) {
    return members.toSorted();
  }
  if (number === undefined || !Number.isSafeInteger(Number(number))) {
    throw new Error(
      `Stored attribute "${name}" is no text, safe integer or set of text. Remove what wrote it, and mend it.`,
    );
  }
  return Number(number);
}
