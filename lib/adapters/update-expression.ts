import type { AttributeValue, ItemChange } from '../ports/item-store.ts';
import type { Expression } from './condition-expression.ts';
import { toStoredValue } from './dynamodb-attributes.ts';

/** Compiles a change to a DynamoDB update expression; a change without effect has the empty text. */
export function compileChange({ set = {}, add = {}, remove = [] }: ItemChange): Expression {
  const names: [string, string][] = [];
  const values: [string, ReturnType<typeof toStoredValue>][] = [];
  const alias = (attribute: string) => {
    names.push([`#u${names.length}`, attribute]);
    return `#u${names.length - 1}`;
  };
  const aliased = ([attribute, value]: [string, AttributeValue], operator: string) => {
    values.push([`:u${values.length}`, toStoredValue(attribute, value)]);
    return `${alias(attribute)}${operator}:u${values.length - 1}`;
  };
  const clauses = [
    clause(
      'SET',
      Object.entries(set).map((entry) => aliased(entry, ' = ')),
    ),
    clause(
      'ADD',
      Object.entries(add).map((entry) => aliased(entry, ' ')),
    ),
    clause('REMOVE', remove.map(alias)),
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
