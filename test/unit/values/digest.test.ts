import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionIdOf, eventIdOf, rootActionId } from '../../../lib/runner/run-ids.ts';
import { canonicalJson, digestJson, digestParts } from '../../../lib/values/digest.ts';

/** The same value, the members of each object in the opposite order. */
const reordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
};

describe('the digest of a JSON value', () => {
  // Stored digests are compared with those of later releases: a change of any of these is a change of the format.
  // Each is the beginning of the SHA-256 of the canonical text, computed by another program.
  it.each([
    [{ a: 1, b: { c: 2, d: 3 } }, 'kyh1q1sj60e7JxH5Udhboj'],
    [[1, 2], 'SaZHF9XUyxmVLm6sKUZBXP'],
    [[2, 1], 'rxofwRC2CUxIWCsO-DVTy3'],
    [{ a: 1, B: 2, ä: 3, 10: 4, 9: 5 }, 'rYkSQwwB8I9Y08evC6WZhc'],
    [null, 'dCNOmK_nSY-12vHzasLXis'],
    ['', 'Eq4yyx7ALQHto1gbEnwf7j'],
    [{}, 'RBNvo1WzZ4oRRq0W9-hknp'],
    [[], 'T1PNoYwrqgwDVLtfmj7L5e'],
    [{ text: 'line\nbreak "quoted" 😀' }, 'tnkDTwc-ICJMNP0s_MgtV2'],
  ])('is pinned: %j', (value, digest) => {
    expect(digestJson(value)).toBe(digest);
  });

  it('is the same for every order of members, at every depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(digestJson(reordered(value))).toBe(digestJson(value));
      }),
    );
  });

  it('differs for another order of items', () => {
    expect(digestJson([1, 2])).not.toBe(digestJson([2, 1]));
    expect(digestJson({ a: [{ b: 1 }, { c: 2 }] })).not.toBe(digestJson({ a: [{ c: 2 }, { b: 1 }] }));
  });

  it('tells apart what only looks alike', () => {
    const alike = [1, '1', true, 'true', null, 'null', [], {}, [null], [[]], { a: null }, '', [''], { '': '' }];
    expect(new Set(alike.map(digestJson)).size).toBe(alike.length);
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(digestJson(a) === digestJson(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  it('does not see members that are undefined, as JSON does not carry them', () => {
    expect(digestJson({ a: 1, b: undefined })).toBe(digestJson({ a: 1 }));
  });

  it('orders by code unit and not by the language of the machine', () => {
    expect(canonicalJson({ ä: 1, b: 1, B: 1, a: 1, 10: 1, 9: 1, '😀': 1, '\uffee': 1 })).toBe(
      '{"10":1,"9":1,"B":1,"a":1,"b":1,"ä":1,"😀":1,"\uffee":1}',
    );
  });

  it('is the canonical text of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('has the same length however large the value is', () => {
    expect(digestJson(Array.from({ length: 10_000 }, (_, n) => n))).toMatch(/^[\w-]{22}$/);
  });
});

describe('the digest of several parts', () => {
  it('is pinned', () => {
    expect(digestParts('action', 'parent', 0, 'name')).toBe('77wLXjffdTA2ilODjEcsOK');
    expect(digestParts()).toBe('47DEQpj8HBSa-_TImW-5JC');
  });

  it('differs for different lists, wherever one part ends and the next begins', () => {
    const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('', '#', ':', ';', '1:', '1:a;', 'a#b', 'b#c')), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(digestParts(...a) === digestParts(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('derived ids', () => {
  it('have one length however deep the actions stand in each other', () => {
    let id = rootActionId('r'.repeat(128));
    for (let depth = 0; depth < 50; depth += 1) {
      id = actionIdOf(id, depth, 'a'.repeat(64));
      expect(id).toMatch(/^[\w-]{22}$/);
    }
  });

  it('tell parent, place and name apart', () => {
    const ids = ['p', 'p1', '1'].flatMap((parent) =>
      [1, 11].flatMap((emission) => ['a', '1a', 'constructor'].map((name) => actionIdOf(parent, emission, name))),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('never give an event the id of an action', () => {
    expect(eventIdOf('p', 0)).not.toBe(actionIdOf('p', 0, ''));
    expect(rootActionId('p')).not.toBe(eventIdOf('p', 0));
  });
});
