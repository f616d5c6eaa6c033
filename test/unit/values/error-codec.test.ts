import vm from 'node:vm';
import fc from 'fast-check';
import {
  AgentError,
  CallInterruptedError,
  CallTimeoutError,
  NotSerializableError,
  ReplayMismatchError,
  TerminalAgentError,
  TerminalError,
} from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { isTerminal } from '../../../lib/errors/public-errors.ts';
import { decodeThrown, describeThrown, encodeThrown } from '../../../lib/values/error-codec.ts';

const roundTrip = (thrown: unknown): unknown => decodeThrown(encodeThrown(thrown));
const errorOf = (thrown: unknown) => {
  const error = roundTrip(thrown);
  expect(error).toBeInstanceOf(Error);
  return error as Error & { readonly code?: unknown; readonly errors?: readonly unknown[] };
};

class CardDeclined extends Error {
  override readonly name = 'CardDeclined';
  readonly code = 'DECLINED';
  readonly details = { attempts: 3, retryable: false, reasons: ['limit', null] };
}
class OrderGone extends TerminalError {
  override readonly name = 'OrderGone' as 'TerminalError';
}

describe('an error after it was stored', () => {
  it.each([
    ['TypeError', new TypeError('x'), TypeError],
    ['RangeError', new RangeError('x'), RangeError],
    ['SyntaxError', new SyntaxError('x'), SyntaxError],
    ['ReferenceError', new ReferenceError('x'), ReferenceError],
    ['EvalError', new EvalError('x'), EvalError],
    ['URIError', new URIError('x'), URIError],
    ['AggregateError', new AggregateError([], 'x'), AggregateError],
    ['AgentError', new AgentError('INVALID_CALL', 'x'), AgentError],
    ['TerminalError', new TerminalError('x'), TerminalError],
    ['TerminalAgentError', new TerminalAgentError('PAYLOAD_TOO_LARGE', 'x'), TerminalAgentError],
    ['CallInterruptedError', new CallInterruptedError('x'), CallInterruptedError],
    ['CallTimeoutError', new CallTimeoutError('x'), CallTimeoutError],
    ['ReplayMismatchError', new ReplayMismatchError('x'), ReplayMismatchError],
    ['NotSerializableError', new NotSerializableError('x'), NotSerializableError],
  ])('is a %s again', (name, error, Class) => {
    const replayed = errorOf(error);
    expect(replayed).toBeInstanceOf(Class);
    expect(Object.getPrototypeOf(replayed)).toBe(Class.prototype);
    expect(replayed).toMatchObject({ name, message: 'x' });
    expect(replayed.code).toBe((error as { code?: string }).code);
    expect(String(replayed)).toBe(String(error));
  });

  it('keeps name, message, code and own JSON members of a class that the framework does not know', () => {
    expect(errorOf(new CardDeclined('no'))).toMatchObject({
      name: 'CardDeclined',
      message: 'no',
      code: 'DECLINED',
      details: { attempts: 3, retryable: false, reasons: ['limit', null] },
    });
  });

  it('is an instance of the public class that its own class extends, so that it stays terminal', () => {
    const replayed = errorOf(new OrderGone('cancelled'));
    expect(replayed).toBeInstanceOf(TerminalError);
    expect(isTerminal(replayed)).toBe(true);
    expect(replayed.name).toBe('OrderGone');
  });

  it('is not made terminal by its name', () => {
    const replayed = errorOf(Object.assign(new Error('x'), { name: 'TerminalError' }));
    expect(isTerminal(replayed)).toBe(false);
    expect(replayed.name).toBe('TerminalError');
  });

  it('keeps a code that stands in its class', () => {
    const aborted = new DOMException('stopped', 'AbortError');
    expect(errorOf(aborted)).toMatchObject({ name: 'AbortError', message: 'stopped', code: 20 });
  });

  it('keeps the code of a system error', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
      errno: -111,
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    expect(errorOf(refused)).toMatchObject({ errno: -111, code: 'ECONNREFUSED', syscall: 'connect' });
  });

  it('keeps its chain of causes, whatever each is', () => {
    const chain = new Error('a', {
      cause: new TypeError('b', { cause: new CardDeclined('c', { cause: { status: 402 } }) }),
    });
    const replayed = errorOf(chain);
    const second = replayed.cause as Error;
    const third = second.cause as CardDeclined;
    expect(second).toBeInstanceOf(TypeError);
    expect(third).toMatchObject({ name: 'CardDeclined', code: 'DECLINED' });
    expect(third.cause).toEqual({ status: 402 });
  });

  it.each([[null], [0], [''], ['why'], [false]])('keeps the cause %j', (cause) => {
    expect(errorOf(new Error('a', { cause })).cause).toBe(cause);
  });

  it('keeps the errors of an AggregateError in their order, an error that is there twice included', () => {
    const twice = new TypeError('twice');
    const replayed = errorOf(
      new AggregateError([twice, 'text', new CardDeclined('c'), twice], 'all', { cause: twice }),
    );
    expect(replayed.errors).toMatchObject([
      { name: 'TypeError', message: 'twice' },
      'text',
      { code: 'DECLINED' },
      { name: 'TypeError', message: 'twice' },
    ]);
    expect(replayed.errors?.[3]).toBeInstanceOf(TypeError);
    expect(replayed.cause).toBeInstanceOf(TypeError);
  });

  it('keeps a list of findings that are no errors', () => {
    const invalid = Object.assign(new Error('invalid'), { errors: [{ field: 'a', message: 'missing' }] });
    expect(errorOf(invalid).errors).toEqual([{ field: 'a', message: 'missing' }]);
  });

  it('keeps findings by field', () => {
    const invalid = Object.assign(new Error('invalid'), { errors: { a: { message: 'missing' } } });
    expect(errorOf(invalid).errors).toEqual({ a: { message: 'missing' } });
  });

  it('of another realm is one of this realm', () => {
    const foreign: unknown = vm.runInNewContext(
      'Object.assign(new TypeError("x", { cause: new Error("y") }), { code: "C" })',
    );
    expect(foreign).not.toBeInstanceOf(Error);
    const replayed = errorOf(foreign);
    expect(replayed).toBeInstanceOf(TypeError);
    expect(replayed).toMatchObject({ name: 'TypeError', message: 'x', code: 'C', cause: { message: 'y' } });
  });

  it('shows its name and message where the stack would name this file', () => {
    expect(errorOf(new CardDeclined('no')).stack).toBe('CardDeclined: no');
  });

  it('has no members that its class has not: name, cause and errors are not listed', () => {
    expect(Object.keys(errorOf(new AggregateError([1], 'x', { cause: 2 })))).toEqual([]);
    expect(Object.keys(errorOf(new CardDeclined('no')))).toEqual(['code', 'details']);
  });
});

describe('a thrown value that is no error', () => {
  it.each([
    ['text'],
    [undefined],
    [null],
    [0],
    [-0],
    [Number.NaN],
    [true],
    [5n],
    [{ status: 402, reasons: ['a'] }],
    [[1, 2]],
  ])('is thrown again as it was: %s', (value) => {
    expect(roundTrip(value)).toStrictEqual(value);
  });

  it.each([
    ['a function', () => 1, '[a function]'],
    ['a symbol', Symbol('x'), '[a symbol]'],
    ['a class instance', new (class Response {})(), '[object Object]'],
    ['an instance with a text form', new URL('https://example.com/x'), 'https://example.com/x'],
  ])('is thrown as text when it has no stored form: %s', (_name, value, text) => {
    expect(roundTrip(value)).toBe(text);
  });

  it('is read as far as it goes when it contains itself', () => {
    const cyclic: { self?: unknown; a: number } = { a: 1 };
    cyclic.self = cyclic;
    expect(roundTrip(cyclic)).toMatchObject({ a: 1 });
  });

  it('keeps no prototype of its own making', () => {
    const thrown: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"a":1}');
    expect(roundTrip(thrown)).toEqual({ a: 1 });
    expect('isAdmin' in {}).toBe(false);
  });
});

describe('first time and replay', () => {
  it('are equal, whatever is thrown', () => {
    const leaf = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    const { thrown } = fc.letrec<{ thrown: unknown }>((tie) => ({
      thrown: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc
          .record({
            Class: fc.constantFrom(Error, TypeError, TerminalError, CardDeclined, OrderGone),
            message: fc.string(),
            cause: tie('thrown'),
            fields: fc.dictionary(fc.string(), leaf),
          })
          .map(({ Class, message, cause, fields }) => Object.assign(new Class(message, { cause }), fields)),
        fc.array(tie('thrown'), { maxLength: 4 }).map((errors) => new AggregateError(errors, 'several')),
      ),
    }));
    fc.assert(
      fc.property(thrown, (value) => {
        const first = encodeThrown(value);
        expect(encodeThrown(decodeThrown(first))).toBe(first);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the line for logs and status messages', () => {
  it('names error and code', () => {
    expect(describeThrown(new CardDeclined('no', { cause: new Error('why') }))).toEqual({
      name: 'CardDeclined',
      message: 'no',
      code: 'DECLINED',
    });
  });

  it.each([
    ['says so of an error without a message', new Error(), '(no message)'],
    [
      'is that of its first error, for an AggregateError without a message',
      new AggregateError([new Error('x'), 'y']),
      'x',
    ],
    ['says so of an AggregateError without anything', new AggregateError([]), '(no message)'],
    ['is its own when it has one', new AggregateError([new Error('x')], 'several'), 'several'],
  ])('%s', (_name, error, message) => {
    expect(describeThrown(error).message).toBe(message);
  });

  it.each([
    ['text', '"text"'],
    [undefined, '{"$":"undefined"}'],
    [{ password: 'hunter', a: 1 }, '{"a":1}'],
  ])('says that something else was thrown: %j', (thrown, text) => {
    expect(describeThrown(thrown)).toEqual({ name: 'Error', message: `A value was thrown that is no error: ${text}` });
  });
});
