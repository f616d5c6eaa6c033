import { describe, expect, it } from 'vitest';
import { decodeThrown, encodeThrown } from '../../../lib/values/error-codec.ts';

const roundTrip = (thrown: unknown): unknown => decodeThrown(encodeThrown(thrown));
const errorOf = (thrown: unknown) => {
  const error = roundTrip(thrown);
  expect(error).toBeInstanceOf(Error);
  return error as Error & { readonly errors?: readonly unknown[] };
};

describe('hostile errors', () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
    revoke();
    return proxy;
  };
  const throwing = (name: string) =>
    Object.defineProperty(new Error('kept'), name, {
      enumerable: true,
      get: () => {
        throw new Error('boom');
      },
    });

  it.each(['name', 'cause', 'errors', 'code', 'details'])('a getter of "%s" that throws hides nothing else', (name) => {
    expect(errorOf(throwing(name))).toMatchObject({ name: 'Error', message: 'kept' });
  });

  it('a getter of "message" that throws leaves the message empty', () => {
    expect(errorOf(throwing('message')).message).toBe('');
  });

  it.each([
    ['a revoked proxy', revoked()],
    ['a revoked proxy as a cause', new Error('x', { cause: revoked() })],
    ['a message that has no text form', Object.assign(new Error('x'), { message: Object.create(null) })],
    ['an object without a text form', { toString: 1, valueOf: 1, at: new Date() }],
    [
      'a getter of a plain object',
      {
        get a() {
          throw new Error('boom');
        },
      },
    ],
    ['errors that are no list of errors', Object.assign(new Error('x'), { errors: [revoked(), Symbol('x'), () => 1] })],
  ])('%s is stored and thrown again', (_name, thrown) => {
    const first = roundTrip(thrown);
    expect(encodeThrown(first)).toBe(encodeThrown(roundTrip(thrown)));
  });

  it('an error that causes itself', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });
    const replayed = errorOf(error);
    expect(replayed).toMatchObject({ message: 'a', cause: { message: 'b', cause: '[an error that contains itself]' } });
  });

  it('an AggregateError among its own errors', () => {
    const error = new AggregateError([], 'a');
    error.errors.push(error, new Error('b'));
    expect(errorOf(error).errors).toMatchObject(['[an error that contains itself]', { message: 'b' }]);
  });

  it('errors that multiply with each level stay small', () => {
    let error = new Error('leaf');
    for (let level = 0; level < 20; level += 1) error = new AggregateError(new Array(20).fill(error), `level ${level}`);
    const start = performance.now();
    expect(encodeThrown(error).length).toBeLessThan(65_536);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('a chain of 10,000 causes is cut', () => {
    let error = new Error('leaf');
    for (let level = 0; level < 10_000; level += 1) error = new Error(`level ${level}`, { cause: error });
    let depth = 0;
    for (let next: unknown = errorOf(error); next instanceof Error; next = next.cause) depth += 1;
    expect(depth).toBeGreaterThan(5);
    expect(depth).toBeLessThan(20);
  });

  it('members that would fill the record of a run are left out, the code stays', () => {
    const rows = Array.from({ length: 32 }, (_, n) => [n, 'x'.repeat(1_000), 'y'.repeat(1_000), 'z'.repeat(1_000)]);
    const error = Object.assign(new Error('kept', { cause: new Error('cause') }), { code: 'C', rows, more: rows });
    expect(encodeThrown(error).length).toBeLessThan(65_536);
    expect(errorOf(error)).toMatchObject({ message: 'kept', code: 'C', cause: { message: 'cause' } });
  });

  it('inner errors that would fill the record of a run are left out', () => {
    const errors = Array.from({ length: 32 }, () => new Error('x'.repeat(8_000)));
    expect(encodeThrown(new AggregateError(errors, 'kept')).length).toBeLessThan(65_536);
    expect(errorOf(new AggregateError(errors, 'kept'))).toMatchObject({ name: 'AggregateError', message: 'kept' });
  });
});

describe('a message of 1 MB', () => {
  const long = 'é'.repeat(1_000_000);

  it('is cut, and says so', () => {
    const { message } = errorOf(new Error(long));
    expect(message).toMatch(/^é{8000,}… \(1000000 characters\)$/);
    expect(message.length).toBe(8_192);
  });

  it('is the same text when the replayed error is recorded again', () => {
    const first = encodeThrown(new Error(long, { cause: long }));
    expect(encodeThrown(decodeThrown(first))).toBe(first);
  });

  it('is cut in a thrown text as well', () => {
    expect(String(roundTrip(long)).length).toBe(8_192);
  });

  it('is never cut inside a character', () => {
    for (const lead of ['', 'a'])
      expect(errorOf(new Error(lead + '😀'.repeat(10_000))).message.isWellFormed()).toBe(true);
  });

  it('does not end in half a credential', () => {
    for (let length = 8_140; length < 8_192; length += 1) {
      const { message } = errorOf(
        new Error(`${'.'.repeat(length)} https://user:hunter-hunter@host ${'.'.repeat(20_000)}`),
      );
      expect(message).not.toMatch(/hunt/);
    }
  });
});
