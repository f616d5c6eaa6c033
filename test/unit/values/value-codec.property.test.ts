import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { NotSerializableError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../../../lib/values/value-codec.ts';

const names = fc.oneof(
  fc.string(),
  fc.constantFrom('$', 'v', '__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'length', '0', ''),
);
const leaves = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('$', '"$"', '{"$":"undefined"}', '\ud800', '\udc00x', '\u0000', '\ufffe', '\u2028'),
  fc.double(),
  fc.constantFrom(-0, NaN, Infinity, -Infinity, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.date(),
  fc.constant(new Date(Number.NaN)),
  fc.uint8Array(),
);

const plainObject = (entries: readonly (readonly [string, unknown])[]): object => {
  const object = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
};

/** Every value that the type table of the codec promises to give back. */
const { storable } = fc.letrec<{ storable: unknown }>((tie) => ({
  storable: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc.array(tie('storable')),
    fc.array(fc.tuple(names, tie('storable'))).map(plainObject),
    fc.array(fc.tuple(tie('storable'), tie('storable'))).map((entries) => new Map(entries)),
    fc.array(tie('storable')).map((items) => new Set(items)),
  ),
}));

describe('the codec of stored values', () => {
  it('gives back every value of its type table, equal and of the same prototypes', () => {
    fc.assert(
      fc.property(storable, (value) => {
        deepStrictEqual(decodeValue(encodeValue(value)), value);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same text again for what it gave back, so that a replay records what the first drive did', () => {
    fc.assert(
      fc.property(storable, (value) => {
        const text = encodeValue(value);
        expect(encodeValue(decodeValue(text))).toBe(text);
      }),
    );
  });

  it('either stores whatever it is given or names what it cannot store', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        try {
          const text = encodeValue(value);
          deepStrictEqual(decodeValue(encodeValue(decodeValue(text))), decodeValue(text));
        } catch (error) {
          expect(error).toBeInstanceOf(NotSerializableError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
