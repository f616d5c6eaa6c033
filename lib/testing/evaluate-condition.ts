import type { AttributeValue, Condition, Item } from '../ports/item-store.ts';

/** Whether `condition` holds for `item`. A missing item has no attributes; values of different types, sets among them, are never equal or ordered. */
export function evaluateCondition(condition: Condition, item: Item | undefined): boolean {
  switch (condition.kind) {
    case 'absent':
      return read(item, condition.attribute) === undefined;
    case 'present':
      return read(item, condition.attribute) !== undefined;
    case 'equal':
      return read(item, condition.attribute) === condition.value;
    case 'below':
      return readNumber(item, condition.attribute) < condition.value;
    case 'atMost':
      return readNumber(item, condition.attribute) <= condition.value;
    case 'oneOf': {
      const value = read(item, condition.attribute);
      return condition.values.some((each) => each === value);
    }
    case 'not':
      return !evaluateCondition(condition.condition, item);
    case 'all':
      return condition.conditions.every((each) => evaluateCondition(each, item));
    case 'any':
      return condition.conditions.some((each) => evaluateCondition(each, item));
  }
}

function read(item: Item | undefined, attribute: string): AttributeValue | undefined {
  return item !== undefined && Object.hasOwn(item, attribute) ? item[attribute] : undefined;
}

// No number is below or equal to NaN, so an attribute that is missing, a text or a set compares false.
function readNumber(item: Item | undefined, attribute: string): number {
  const value = read(item, attribute);
  return typeof value === 'number' ? value : Number.NaN;
}
