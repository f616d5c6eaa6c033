import type { AttributeValue, Condition, Item, ItemChange, ItemKey, ScalarValue } from '../ports/item-store.ts';
import { itemBytes } from './item-size.ts';
import { utf8Length } from './utf8.ts';

// DynamoDB's limits: "Constraints in Amazon DynamoDB".
const MAX_PARTITION_KEY_BYTES = 2_048;
const MAX_SORT_KEY_BYTES = 1_024;
const MAX_ITEM_BYTES = 400 * 1_024;
const MAX_OPERANDS_OF_IN = 100;
// An update expression has at most 4 KB, which the aliases of about 270 attributes fill.
const MAX_CHANGED_ATTRIBUTES = 250;

/** @throws Error when DynamoDB would refuse the key */
export function checkKey({ pk, sk }: ItemKey): void {
  checkKeyText('pk', pk, MAX_PARTITION_KEY_BYTES);
  checkKeyText('sk', sk, MAX_SORT_KEY_BYTES);
}

/** @throws Error when DynamoDB would refuse the partition key of the index */
export function checkShard(shard: AttributeValue): void {
  checkKeyText('gs', shard, MAX_PARTITION_KEY_BYTES);
}

/** @throws Error when DynamoDB would refuse the item */
export function checkItem(item: Item): void {
  checkKey(item);
  for (const [name, value] of Object.entries(item)) {
    checkAttribute(name, value);
  }
  if (item.gs !== undefined) {
    checkShard(item.gs);
  }
  if (item.du !== undefined && typeof item.du !== 'number') {
    throw new Error(`Attribute "du" is ${JSON.stringify(item.du)}. Store the due time as a number.`);
  }
  const bytes = itemBytes(item);
  if (bytes > MAX_ITEM_BYTES) {
    throw new Error(`Item has ${bytes} bytes, above ${MAX_ITEM_BYTES}. Store large values outside the table.`);
  }
}

/** @throws Error when DynamoDB would refuse the change, whatever the item */
export function checkChange({ set = {}, add = {}, remove = [], take = {} }: ItemChange): void {
  for (const [name, value] of Object.entries(set)) {
    checkAttribute(name, value);
  }
  for (const [name, amount] of Object.entries(add)) {
    checkName(name);
    if (!Number.isSafeInteger(amount)) {
      throw new Error(`${String(amount)} is added to attribute "${name}". Add safe integers only.`);
    }
  }
  for (const [name, members] of Object.entries(take)) {
    checkSet(name, members);
  }
  const names = [...Object.keys(set), ...Object.keys(add), ...remove, ...Object.keys(take)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`Attribute "${twice}" is changed twice in one update. Name it once.`);
  }
  if (names.length > MAX_CHANGED_ATTRIBUTES) {
    throw new Error(
      `An update changes ${names.length} attributes, above ${MAX_CHANGED_ATTRIBUTES}. Encode them as one.`,
    );
  }
  if (names.includes('pk') || names.includes('sk')) {
    throw new Error('An update changes a key attribute. Put another item instead.');
  }
}

/** @throws Error when a number would be added to something else, or members be taken from something else than a set */
export function checkOperands(item: Item | undefined, { add = {}, take = {} }: ItemChange): void {
  for (const [name, amount] of Object.entries(add)) {
    const value = item?.[name];
    if (value !== undefined && typeof value !== 'number') {
      throw new Error(`Attribute "${name}" is no number, and ${amount} is added to it. Add to numbers only.`);
    }
  }
  for (const name of Object.keys(take)) {
    const value = item?.[name];
    if (value !== undefined && typeof value !== 'object') {
      throw new Error(`Attribute "${name}" is no set, and members are taken from it. Take from sets only.`);
    }
  }
}

/** @throws Error when DynamoDB would refuse the condition */
export function checkCondition(condition: Condition): void {
  switch (condition.kind) {
    case 'absent':
    case 'present':
      checkName(condition.attribute);
      break;
    case 'equal':
    case 'below':
    case 'atMost':
      checkScalar(condition.attribute, condition.value);
      break;
    case 'oneOf':
      checkName(condition.attribute);
      if (condition.values.length > MAX_OPERANDS_OF_IN) {
        throw new Error(`Condition compares with ${condition.values.length} values, above ${MAX_OPERANDS_OF_IN}.`);
      }
      for (const value of condition.values) {
        checkScalar(condition.attribute, value);
      }
      break;
    case 'not':
      checkCondition(condition.condition);
      break;
    case 'all':
    case 'any':
      condition.conditions.forEach(checkCondition);
  }
}

/** @throws Error unless the value comes back from DynamoDB as it went in */
export function checkScalar(name: string, value: ScalarValue): void {
  checkName(name);
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'string' || !value.isWellFormed()) {
    throw new Error(
      `Attribute "${name}" is ${String(value)}. Store safe integers or well-formed text; encode all else as text.`,
    );
  }
}

function checkAttribute(name: string, value: AttributeValue): void {
  if (typeof value === 'object') {
    checkSet(name, value);
  } else {
    checkScalar(name, value);
  }
}

function checkSet(name: string, members: readonly string[]): void {
  checkName(name);
  const areTexts = members.every((member) => typeof member === 'string' && member.isWellFormed());
  if (members.length === 0 || !areTexts || new Set(members).size < members.length) {
    throw new Error(`Attribute "${name}" is no set of text. Give it members: well-formed texts, none of them twice.`);
  }
}

function checkName(name: string): void {
  if (name === '') {
    throw new Error('An attribute has an empty name. Name it.');
  }
}

function checkKeyText(name: string, value: AttributeValue, maxBytes: number): void {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || utf8Length(value) > maxBytes) {
    throw new Error(
      `Key attribute "${name}" is not a text of 1 to ${maxBytes} bytes. Build it with the key functions.`,
    );
  }
}
