import type { AttributeValue as StoredValue } from '@aws-sdk/client-dynamodb';
import type { ItemChange } from '../ports/item-store.ts';
import type { Expression } from './condition-expression.ts';
import { toStoredScalar, toStoredSet, toStoredValue } from './dynamodb-attributes.ts';

/** Compiles a change to a DynamoDB update expression; a change without effect has the empty text. */
export function compileChange({ set = {}, add = {}, remove = [], take = {} }: ItemChange): Expression {
  const names: [string, string][] = [];
  const values: [string, StoredValue][] = [];
  const alias = (attribute: string) => {
    names.push([`#u${names.length}`, attribute]);
    return `#u${names.length - 1}`;
  };
  const aliased = (attribute: string, operator: string, value: StoredValue) => {
    values.push([`:u${values.length}`, value]);
    return `${alias(attribute)}${operator}:u${values.length - 1}`;
  };
  const clauses = [
    clause(
      'SET',
      Object.entries(set).map(([attribute, value]) => aliased(attribute, ' = ', toStoredValue(attribute, value))),
    ),
    clause(
      'ADD',
      Object.entries(add).map(([attribute, amount]) => aliased(attribute, ' ', toStoredScalar(attribute, amount))),
    ),
    clause('REMOVE', remove.map(alias)),
    clause(
      'DELETE',
      Object.entries(take).map(([attribute, members]) => aliased(attribute, ' ', toStoredSet(attribute, members))),
    ),
  ];
  return {
    text: clauses.filter((text) => text !== '').join(' '),
    names: Object.fromEntries(names),
    values: Object.fromEntries(values),
  };
}

function clause(keyword: string, terms: readonly string[]): string {
  return terms.length === 0 ? '' : `${keyword} ${terms.join(', ')}`;
}
