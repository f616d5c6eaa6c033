import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../../lib/adapters/condition-expression.ts';
import type { Condition } from '../../../lib/ports/item-store.ts';

const equal = (attribute: string, value: string | number): Condition => ({ kind: 'equal', attribute, value });
const [a, b, c] = [equal('a', 1), equal('b', 2), equal('c', 3)] as const;

describe('compileCondition', () => {
  it('aliases every name once and every value', () => {
    const condition: Condition = {
      kind: 'all',
      conditions: [
        { kind: 'present', attribute: 'pk' },
        equal('status', 'RUNNING'),
        { kind: 'atMost', attribute: 'lu', value: 5 },
        { kind: 'not', condition: { kind: 'oneOf', attribute: 'status', values: ['FAILED', 'CANCELLED'] } },
      ],
    };
    expect(compileCondition(condition)).toEqual({
      text: 'attribute_exists(#c0) AND #c1 = :c0 AND #c2 <= :c1 AND NOT (#c1 IN (:c2, :c3))',
      names: { '#c0': 'pk', '#c1': 'status', '#c2': 'lu' },
      values: { ':c0': { S: 'RUNNING' }, ':c1': { N: '5' }, ':c2': { S: 'FAILED' }, ':c3': { S: 'CANCELLED' } },
    });
  });

  // DynamoDB refuses redundant parentheses, and AND binds stronger than OR.
  it.each<[string, Condition, string]>([
    ['a single one', { kind: 'all', conditions: [a] }, '#c0 = :c0'],
    ['a single one in another', { kind: 'any', conditions: [{ kind: 'all', conditions: [a] }] }, '#c0 = :c0'],
    [
      'or in and',
      { kind: 'all', conditions: [a, { kind: 'any', conditions: [b, c] }] },
      '#c0 = :c0 AND (#c1 = :c1 OR #c2 = :c2)',
    ],
    [
      'and in or',
      { kind: 'any', conditions: [{ kind: 'all', conditions: [a, b] }, c] },
      '(#c0 = :c0 AND #c1 = :c1) OR #c2 = :c2',
    ],
    [
      'not of a combination',
      { kind: 'not', condition: { kind: 'any', conditions: [a, b] } },
      'NOT (#c0 = :c0 OR #c1 = :c1)',
    ],
    ['not of not', { kind: 'not', condition: { kind: 'not', condition: a } }, 'NOT (NOT (#c0 = :c0))'],
    ['all of nothing', { kind: 'all', conditions: [] }, 'attribute_exists(#c0) OR attribute_not_exists(#c0)'],
    ['any of nothing', { kind: 'any', conditions: [] }, 'attribute_exists(#c0) AND attribute_not_exists(#c0)'],
    [
      'one of nothing',
      { kind: 'oneOf', attribute: 'a', values: [] },
      'attribute_exists(#c0) AND attribute_not_exists(#c0)',
    ],
  ])('writes %s', (_, condition, text) => {
    expect(compileCondition(condition).text).toBe(text);
  });

  it.each<[string, Condition]>([
    ['equal', equal('wa', ['1'] as never)],
    ['one of', { kind: 'oneOf', attribute: 'wa', values: ['1', ['2'] as never] }],
    ['below', { kind: 'below', attribute: 'wa', value: ['1'] as never }],
  ])('compares with no set: %s', (_, condition) => {
    expect(() => compileCondition(condition)).toThrow('Attribute "wa"');
  });

  it('takes no set as a type either', () => {
    // @ts-expect-error: conditions compare with text and numbers.
    const condition: Condition = { kind: 'equal', attribute: 'wa', value: ['1'] };
    expect(() => compileCondition(condition)).toThrow('Attribute "wa"');
  });
});
