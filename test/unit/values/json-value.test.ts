import vm from 'node:vm';
import fc from 'fast-check';
import { NotSerializableError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { checkJson } from '../../../lib/values/json-value.ts';

const refusal = (value: unknown): string => {
  try {
    checkJson(value, 'output');
  } catch (error) {
    expect(error).toBeInstanceOf(NotSerializableError);
    return (error as Error).message;
  }
  throw new Error('The value was accepted.');
};

const cyclic: { a?: unknown } = {};
cyclic.a = { b: [cyclic] };

describe('what JSON can carry', () => {
  it('is accepted, and is the same after it was carried', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        checkJson(value, 'output');
        expect(() => checkJson(JSON.parse(JSON.stringify(value)), 'output')).not.toThrow();
      }),
    );
  });

  it('may have members that are undefined, which JSON leaves out', () => {
    checkJson({ a: undefined, b: [{ c: undefined }] }, 'output');
  });

  it('may hold the same object at two places', () => {
    const shared = { n: 1 };
    checkJson([shared, { shared }], 'output');
  });

  it('may come from another realm and may have no prototype', () => {
    checkJson(vm.runInNewContext('({ a: [{}] })'), 'output');
    checkJson(Object.create(null), 'output');
  });
});

describe('what JSON cannot carry is refused by its path, with the remedy', () => {
  it.each([
    ['undefined', undefined, 'output is undefined'],
    ['undefined in a list, which would become null', { a: [1, undefined] }, 'output.a[1] is undefined'],
    ['a hole of a list', { a: new Array(1) }, 'output.a[0] is undefined'],
    ['NaN', { a: Number.NaN }, 'output.a is NaN'],
    ['Infinity', [Number.NEGATIVE_INFINITY], 'output[0] is -Infinity'],
    ['a bigint', { n: 1n }, 'output.n is bigint'],
    ['a function', { f: () => 1 }, 'output.f is function'],
    ['a function named toJSON', { a: { toJSON: () => 'x' } }, 'output.a.toJSON is function'],
    ['a symbol', [Symbol('x')], 'output[0] is symbol'],
    ['a date, which would become text', { at: new Date(0) }, 'output.at is an instance of Date'],
    ['a map, which would become {}', { m: new Map() }, 'output.m is an instance of Map'],
    ['bytes', new Uint8Array(1), 'output is an instance of Uint8Array'],
    ['a list with a name beside its items', [/x/.exec('x')], 'output[0] is a list with the member "groups"'],
    ['a subclass of Array', new (class Rows extends Array {})(), 'output is an instance of Rows'],
    ['a cycle', cyclic, 'output.a.b[0] is a reference to an object that contains it'],
  ])('%s', (_name, value, message) => {
    expect(refusal(value)).toContain(message);
    expect(refusal(value)).toContain('Give strings, finite numbers, booleans, null, arrays and plain objects.');
  });

  it('lists nested 501 times, in a short message', () => {
    let value: unknown = 1;
    for (let level = 0; level < 500; level += 1) value = [value];
    checkJson(value, 'output');
    expect(refusal([value])).toMatch(/500/);
    expect(refusal([value]).length).toBeLessThan(500);
  });
});
