import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8, utf8Length } from '../../../lib/testing/utf8.ts';

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'ä', '\ud7ff', '\ue000', '\uffff', '😀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('UTF-8', () => {
  it('orders as the bytes do', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Math.sign(compareUtf8(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });

  it('measures in bytes', () => {
    expect(['', 'a', 'ä', '漢', '😀'].map(utf8Length)).toEqual([0, 1, 2, 3, 4]);
  });
});
