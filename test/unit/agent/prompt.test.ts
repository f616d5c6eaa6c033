import fc from 'fast-check';
import { definePrompt } from 'lambda-agents';
import { describe, expect, it } from 'vitest';

describe('a prompt', () => {
  it('takes a value literally, whatever a replacement pattern would make of it', () => {
    const diff = "cost $& and $' and $` and $$ and $1 {other}";
    expect(definePrompt('Review {diff}!').format({ diff, other: 'no' })).toBe(`Review ${diff}!`);
  });

  it('never expands a placeholder inside a value', () => {
    expect(definePrompt('{a}{b}').format({ a: '{b}', b: '{a}' })).toBe('{b}{a}');
    expect(definePrompt('{a}b}').format({ a: '{' })).toBe('{b}');
  });

  it('leaves a placeholder without a value as it is', () => {
    expect(definePrompt('Review {diff} of {author}').format({ author: 'Ada' })).toBe('Review {diff} of Ada');
  });

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'finds no value for {%s} in what every object has',
    (name) => {
      expect(definePrompt(`{${name}}`).format({})).toBe(`{${name}}`);
    },
  );

  it('fills {__proto__} when there is such a value', () => {
    expect(definePrompt('{__proto__}').format(JSON.parse('{"__proto__":"x"}'))).toBe('x');
  });

  it('fills the same placeholder wherever it stands', () => {
    expect(definePrompt('{a}, {a}{a}').format({ a: 'x' })).toBe('x, xx');
  });

  it.each(['{}', '{ a }', '{a b}', '{1}', '{{', '{"a": 1}', 'if (x) { return; }', '{a-b}', '{a.b}'])(
    'has no placeholder in %s',
    (text) => {
      expect(definePrompt(text).format({ a: '!', b: '!', '1': '!', '': '!', 'a b': '!', 'a.b': '!' })).toBe(text);
    },
  );

  it('keeps its text', () => {
    expect(definePrompt('Review {diff}').text).toBe('Review {diff}');
  });

  it('puts any value between what stands around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(definePrompt('<{value}>').format({ value })).toBe(`<${value}>`);
      }),
    );
  });
});
