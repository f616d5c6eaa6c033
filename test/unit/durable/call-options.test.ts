import { describe, expect, it } from 'vitest';
import { announcesItself, checkCall } from '../../../lib/durable/call-options.ts';

const call = () => 1;
const minimal = { id: 'a', call };

describe('the options of a durable call', () => {
  it('are completed with the defaults', () => {
    expect(checkCall(minimal)).toEqual({ ...minimal, semantics: 'at-least-once', argsDigest: undefined });
    expect(checkCall({ ...minimal, retry: {} }).retry).toEqual({
      maxAttempts: 3,
      initialMillis: 500,
      maxMillis: 10_000,
      factor: 2,
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a function', call],
    ['no id', { call }],
    ['an id that is no text', { id: 1, call }],
    ['an empty id', { id: '', call }],
    ['an id of 129 bytes', { id: `${'é'.repeat(64)}x`, call }],
    ['an id with half a surrogate pair', { id: 'a\ud800', call }],
    ['no call', { id: 'a' }],
    ['a call that is a promise', { id: 'a', call: Promise.resolve(1) }],
    ['a reconciler that is no function', { ...minimal, reconcile: true }],
    ['an unknown option', { ...minimal, timeout: 5 }],
    ['an unknown semantics', { ...minimal, semantics: 'exactly-once' }],
    ['no attempt', { ...minimal, retry: { maxAttempts: 0 } }],
    ['half an attempt', { ...minimal, retry: { maxAttempts: 1.5 } }],
    ['1,001 attempts', { ...minimal, retry: { maxAttempts: 1_001 } }],
    ['an unknown retry option', { ...minimal, retry: { attempts: 2 } }],
    ['a shrinking wait', { ...minimal, retry: { factor: 0.5 } }],
    ['a wait without an end', { ...minimal, retry: { maxMillis: Number.POSITIVE_INFINITY } }],
    ['no time at all', { ...minimal, timeoutMillis: 0 }],
    ['a timeout that is no number', { ...minimal, timeoutMillis: Number.NaN }],
    ['a timeout that no timer holds', { ...minimal, timeoutMillis: 2 ** 31 }],
  ])('refuse %s', (_what, options) => {
    expect(() => checkCall(options)).toThrow(expect.objectContaining({ code: 'INVALID_CALL' }));
  });

  it('take an id of 128 bytes', () => {
    expect(checkCall({ id: 'é'.repeat(64), call }).id).toHaveLength(64);
  });

  it('refuse a reconciler beside at-most-once', () => {
    const both = { ...minimal, reconcile: call, semantics: 'at-most-once' };
    expect(() => checkCall(both)).toThrow(/has a reconciler and semantics 'at-most-once'/);
  });

  it('refuse retries beside at-most-once, since a call that failed may have had its effect', () => {
    const retried = { ...minimal, retry: { maxAttempts: 2 }, semantics: 'at-most-once' };
    expect(() => checkCall(retried)).toThrow(/has a retry budget and semantics 'at-most-once'/);
  });

  it('digest the arguments whatever the order of their members', () => {
    const digest = (args: unknown) => checkCall({ ...minimal, args }).argsDigest;
    expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }));
    expect(digest([1, 2])).not.toBe(digest([2, 1]));
    expect(digest(null)).not.toBe(digest(undefined));
    expect(digest('x'.repeat(1_000_000))).toHaveLength(22);
  });

  it.each([
    ['a date', new Date(0), 'args of durable call "a" is an instance of Date'],
    ['NaN in a list', { list: [1, Number.NaN] }, 'args of durable call "a".list[1] is NaN'],
    ['a function', { done: call }, 'args of durable call "a".done is function'],
    ['a bigint', 1n, 'args of durable call "a" is bigint'],
  ])('refuse arguments that JSON cannot carry: %s', (_what, args, message) => {
    expect(() => checkCall({ ...minimal, args })).toThrow(message);
  });

  it('refuse arguments that contain themselves', () => {
    const args: Record<string, unknown> = {};
    args.self = { args };
    expect(() => checkCall({ ...minimal, args })).toThrow(
      'args of durable call "a".self.args is a reference to an object',
    );
  });
});

it('announces the calls whose effect a crash may hide', () => {
  expect(announcesItself(checkCall(minimal))).toBe(false);
  expect(announcesItself(checkCall({ ...minimal, reconcile: call }))).toBe(true);
  expect(announcesItself(checkCall({ ...minimal, semantics: 'at-most-once' }))).toBe(true);
});
