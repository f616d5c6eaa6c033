import type { AttributeValue as StoredValue } from '@aws-sdk/client-dynamodb';
import type { Condition, ScalarValue } from '../ports/item-store.ts';
import { toStoredScalar } from './dynamodb-attributes.ts';

/** An expression with all names and values aliased, so that no attribute collides with a reserved word. */
export interface Expression {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, StoredValue>>;
}

// A combination is put in parentheses inside another one, a single term is not: DynamoDB refuses redundant ones.
interface Part {
  readonly text: string;
  readonly kind: 'term' | 'combination';
}

/** Compiles a condition to a DynamoDB condition expression. */
export function compileCondition(condition: Condition): Expression {
  const aliases = new Aliases();
  return { text: compile(condition, aliases).text, names: aliases.names, values: aliases.values };
}

function compile(condition: Condition, aliases: Aliases): Part {
  switch (condition.kind) {
    case 'absent':
      return term(`attribute_not_exists(${aliases.name(condition.attribute)})`);
    case 'present':
      return term(`attribute_exists(${aliases.name(condition.attribute)})`);
    case 'equal':
      return compare(condition.attribute, '=', condition.value, aliases);
    case 'below':
      return compare(condition.attribute, '<', condition.value, aliases);
    case 'atMost':
      return compare(condition.attribute, '<=', condition.value, aliases);
    case 'oneOf': {
      const values = condition.values.map((value) => aliases.value(condition.attribute, value));
      return values.length === 0
        ? never(aliases)
        : term(`${aliases.name(condition.attribute)} IN (${values.join(', ')})`);
    }
    case 'not':
      return term(`NOT (${compile(condition.condition, aliases).text})`);
    case 'all':
      return combine(condition.conditions, ' AND ', aliases) ?? always(aliases);
    case 'any':
      return combine(condition.conditions, ' OR ', aliases) ?? never(aliases);
  }
}

function compare(attribute: string, operator: '=' | '<' | '<=', value: ScalarValue, aliases: Aliases): Part {
  return term(`${aliases.name(attribute)} ${operator} ${aliases.value(attribute, value)}`);
}

function combine(conditions: readonly Condition[], operator: string, aliases: Aliases): Part | undefined {
  const parts = conditions.map((condition) => compile(condition, aliases));
  if (parts.length < 2) {
    return parts[0];
  }
  const operands = parts.map(({ kind, text }) => (kind === 'term' ? text : `(${text})`));
  return { kind: 'combination', text: operands.join(operator) };
}

// There are no literals for true and false.
function always(aliases: Aliases): Part {
  const pk = aliases.name('pk');
  return { kind: 'combination', text: `attribute_exists(${pk}) OR attribute_not_exists(${pk})` };
}

function never(aliases: Aliases): Part {
  const pk = aliases.name('pk');
  return { kind: 'combination', text: `attribute_exists(${pk}) AND attribute_not_exists(${pk})` };
}

function term(text: string): Part {
  return { kind: 'term', text };
}

class Aliases {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, StoredValue> = {};
  readonly #aliasOf = new Map<string, string>();

  name(attribute: string): string {
    const alias = this.#aliasOf.get(attribute) ?? `#c${this.#aliasOf.size}`;
    this.#aliasOf.set(attribute, alias);
    this.names[alias] = attribute;
    return alias;
  }

  value(attribute: string, value: ScalarValue): string {
    const alias = `:c${Object.keys(this.values).length}`;
    this.values[alias] = toStoredScalar(attribute, value);
    return alias;
  }
}
