import type { Condition, ScalarValue } from '../ports/item-store.ts';

export const absent = (attribute: string): Condition => ({ kind: 'absent', attribute });
export const present = (attribute: string): Condition => ({ kind: 'present', attribute });
export const equal = (attribute: string, value: ScalarValue): Condition => ({ kind: 'equal', attribute, value });
export const below = (attribute: string, value: number): Condition => ({ kind: 'below', attribute, value });
export const atMost = (attribute: string, value: number): Condition => ({ kind: 'atMost', attribute, value });
export const oneOf = (attribute: string, values: readonly ScalarValue[]): Condition => ({
  kind: 'oneOf',
  attribute,
  values,
});
export const not = (condition: Condition): Condition => ({ kind: 'not', condition });
export const all = (...conditions: readonly Condition[]): Condition => ({ kind: 'all', conditions });
export const any = (...conditions: readonly Condition[]): Condition => ({ kind: 'any', conditions });

/** Nothing stands there. */
export const isNew = absent('pk');
/** Something stands there: keeps an update from resurrecting a deleted item. */
export const exists = present('pk');
