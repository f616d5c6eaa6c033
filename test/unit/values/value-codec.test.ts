import vm from 'node:vm';
import { NotSerializableError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../../../lib/values/value-codec.ts';

const roundTrip = (value: unknown): unknown => decodeValue(encodeValue(value));

const refusal = (value: unknown, what?: string): string => {
  try {
    encodeValue(value, what);
  } catch (error) {
    expect(error).toBeInstanceOf(NotSerializableError);
    return (error as Error).message;
  }
  throw new Error('The value was stored.');
};

/** `depth` values, each the only content of the one around it. */
const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
};

class Money {
  readonly cents = 5;
}

describe('the stored form', () => {
  it.each([
    ['JSON stays JSON', { a: [1, 'x', null, true] }, '{"a":[1,"x",null,true]}'],
    ['undefined', undefined, '{"$":"undefined"}'],
    ['an undefined member', { a: undefined }, '{"a":{"$":"undefined"}}'],
    ['NaN', Number.NaN, '{"$":"number","v":"NaN"}'],
    ['Infinity', -Infinity, '{"$":"number","v":"-Infinity"}'],
    ['-0', -0, '{"$":"number","v":"-0"}'],
    ['a bigint', 12345678901234567890n, '{"$":"bigint","v":"12345678901234567890"}'],
    ['a date', new Date(5), '{"$":"date","v":5}'],
    ['an invalid date', new Date(Number.NaN), '{"$":"date","v":null}'],
    ['a map', new Map([[{ a: 1 }, new Set(['x'])]]), '{"$":"map","v":[[{"a":1},{"$":"set","v":["x"]}]]}'],
    ['bytes', new Uint8Array([1, 2, 255]), '{"$":"bytes","v":"AQL/"}'],
    ['an object with a member $', { $: 'date', v: 1 }, '{"$":"object","v":{"$":"date","v":1}}'],
    ['a member __proto__', JSON.parse('{"__proto__":{"isAdmin":true}}'), '{"__proto__":{"isAdmin":true}}'],
  ])('is pinned, since journals outlive the code that wrote them: %s', (_name, value, text) => {
    expect(encodeValue(value)).toBe(text);
    expect(decodeValue(text)).toStrictEqual(value);
  });

  it('refuses a kind that a newer version wrote instead of guessing', () => {
    expect(() => decodeValue('{"$":"temporal","v":"2026-01-01"}')).toThrow(/unknown kind "temporal".*deploy that one/s);
  });
});

describe('what comes back', () => {
  it('is a copy: changing it or the given value changes no record', () => {
    const given = { list: [1] };
    const text = encodeValue(given);
    given.list.push(2);
    (decodeValue(text) as typeof given).list.push(3);
    expect(decodeValue(text)).toStrictEqual({ list: [1] });
  });

  it('holds a value that was shared once per place', () => {
    const shared = { n: 1 };
    const copy = roundTrip({ a: shared, b: shared }) as { a: object; b: object };
    expect(copy).toStrictEqual({ a: { n: 1 }, b: { n: 1 } });
    expect(copy.a).not.toBe(copy.b);
  });

  it('has undefined where an array had a hole', () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    expect(roundTrip([1, , 3])).toStrictEqual([1, undefined, 3]);
  });

  it('is a plain object where one had no prototype', () => {
    expect(roundTrip(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 });
  });

  it('is a Uint8Array where a Buffer was, with the bytes of its own window only', () => {
    expect(roundTrip(Buffer.from('abcdef').subarray(2, 4))).toStrictEqual(new Uint8Array([99, 100]));
  });

  it('never touches the prototype of anything', () => {
    const copy = roundTrip(JSON.parse('{"__proto__":{"isAdmin":true},"$":{"__proto__":{"isAdmin":true}}}')) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect('isAdmin' in {}).toBe(false);
  });

  it('is of this realm where the value came from another one', () => {
    const foreign: unknown = vm.runInNewContext(
      '({ d: new Date(1), m: new Map([[1, 2]]), s: new Set([1]), b: new Uint8Array([7]), a: [{}], n: Object.create(null) })',
    );
    expect(roundTrip(foreign)).toStrictEqual({
      d: new Date(1),
      m: new Map([[1, 2]]),
      s: new Set([1]),
      b: new Uint8Array([7]),
      a: [{}],
      n: {},
    });
  });
});

describe('what has no stored form is refused by its path', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = [cyclic];
  class Tags extends Set<string> {}
  class Rows extends Array<number> {}

  it.each([
    ['a function', { a: [0, { f: () => 1 }] }, 'result.a[1].f is a function'],
    ['a symbol', { s: Symbol('x') }, 'result.s is a symbol'],
    ['a symbol member', { a: { [Symbol('x')]: 1 } }, 'result.a has a member named by a symbol'],
    ['a class instance', { a: [1, 2, { b: new Money() }] }, 'result.a[2].b is an instance of Money'],
    ['an error', { e: new TypeError('x') }, 'result.e is an instance of TypeError'],
    ['a promise', { p: Promise.resolve(1) }, 'result.p is an instance of Promise'],
    ['a regular expression', [/x/], 'result[0] is an instance of RegExp'],
    ['a boxed string', [new String('x')], 'result[0] is an instance of String'],
    ['another typed array', [new Float64Array(1)], 'result[0] is an instance of Float64Array'],
    ['a subclass of Set', { t: new Tags() }, 'result.t is an instance of Tags'],
    ['a subclass of Array', { r: new Rows() }, 'result.r is an instance of Rows'],
    ['a map member', new Map([['k', Symbol('x')]]), 'result[0] is a symbol'],
    ['an object whose prototype was made by hand', Object.create({ a: 1 }), 'result is an instance of'],
    ['a cycle', cyclic, 'result.self[0] refers back to an object that contains it'],
    ['an array with a name beside its items', /(?<n>\d)/.exec('7'), 'result has the member "groups" beside its items'],
  ])('%s', (_name, value, message) => {
    expect(refusal(value, 'result')).toContain(message);
  });

  it('a getter that throws', () => {
    const value = {
      inner: {
        get broken(): never {
          throw new Error('boom');
        },
      },
    };
    expect(refusal(value, 'result')).toContain('result.inner');
    expect(() => encodeValue(value)).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: 'boom' }) }),
    );
  });

  it('a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusal([proxy], 'result')).toContain('result[0]');
  });

  it.each([
    ['objects', (inner: unknown) => ({ next: inner })],
    ['arrays', (inner: unknown) => [inner]],
    ['maps', (inner: unknown) => new Map([['next', inner]])],
  ])('more than 500 %s in each other', (_name, wrap) => {
    expect(roundTrip(nested(500, wrap))).toStrictEqual(nested(500, wrap));
    const message = refusal(nested(501, wrap), 'result');
    expect(message).toContain('500');
    expect(message.length).toBeLessThan(500);
  });

  it('with the remedy in the message', () => {
    for (const value of [() => 1, new Money(), cyclic, nested(600, (inner) => [inner]), { [Symbol('x')]: 1 }]) {
      expect(refusal(value)).toMatch(/\. (Give|Name) /);
    }
  });
});

describe('reading time', () => {
  it('grows with the size of the value, not with its square', () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => ({ n, at: undefined }));
    const start = performance.now();
    roundTrip(rows);
    // About 100 ms on a slow machine; a scan of the rows per row would take minutes.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
