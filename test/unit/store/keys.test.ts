import fc from 'fast-check';
import { AgentError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { actionIdOf, rootActionId } from '../../../lib/runner/run-ids.ts';
import {
  actionKey,
  callKey,
  checkId,
  decodeKeyPart,
  encodeKeyPart,
  headKey,
  inboxKey,
  inputKey,
  memoryKey,
  runIdOfPartition,
  runKey,
  sequenceKey,
  slotName,
} from '../../../lib/store/keys.ts';

const tricky = [
  '#',
  '%',
  '%23',
  '/',
  '\\',
  ':',
  ' ',
  '\n',
  '\u0000',
  '.',
  '..',
  '-',
  '_',
  '😀',
  'ä',
  'a\u0308',
  '__proto__',
  'HEAD',
  'INBOX#',
];
/** Ids that are accepted: 1 to 128 bytes of whole characters. */
const ids = fc
  .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...tricky) }))
  .filter((id) => id.isWellFormed() && id !== '' && Buffer.byteLength(id) <= 128);

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

describe('an encoded part of a key', () => {
  it('is decoded to what it was', () => {
    fc.assert(fc.property(ids, (id) => void expect(decodeKeyPart(encodeKeyPart(id))).toBe(id)));
  });

  it('holds nothing that separates parts, and keeps what is readable', () => {
    fc.assert(fc.property(ids, (id) => void expect(encodeKeyPart(id)).toMatch(/^[A-Za-z0-9._%-]+$/)));
    expect(encodeKeyPart('pr-7_a.B')).toBe('pr-7_a.B');
    expect(encodeKeyPart('a#b c')).toBe('a%23b%20c');
    expect(encodeKeyPart('😀\n')).toBe('%F0%9F%98%80%0A');
  });
});

describe('keys of different things', () => {
  const keysOf = ([a, b, c]: readonly [string, string, string]) => [
    runKey(a),
    inputKey(a),
    callKey(a, rootActionId(b), slotName(c, 0)),
    actionKey(a, rootActionId(b)),
    headKey(a, b),
    inboxKey(a, b, sequenceKey('7'), c, 0),
    inboxKey(a, b, sequenceKey('7'), c, 1),
    memoryKey(a, b, c),
  ];
  const text = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => JSON.stringify([pk, sk]);

  it('are different for every agent, key, run, field and call', () => {
    const triples = fc.tuple(ids, ids, ids);
    fc.assert(
      fc.property(triples, triples, (left, right) => {
        const mine = keysOf(left).map(text);
        const theirs = keysOf(right).map(text);
        expect(new Set(mine).size).toBe(mine.length);
        // Two keys are equal only where everything that they are made of is.
        const parts = [[0], [0], [0, 1, 2], [0, 1], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2]];
        for (const [index, needed] of parts.entries()) {
          expect(mine[index] === theirs[index]).toBe(needed.every((part) => left[part] === right[part]));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a#b with c and a with b#c', headKey('a#b', 'c'), headKey('a', 'b#c')],
    ['a% with 23 and a%23', headKey('a%', '23'), headKey('a', '%23')],
    ['a call and a nested one', callKey('r', 'x', slotName('a', 11)), callKey('r', 'x', slotName('a#1', 1))],
    [
      'the call a of occurrence 11 and a1 of 1',
      callKey('r', 'x', slotName('a', 11)),
      callKey('r', 'x', slotName('a1', 1)),
    ],
    ['a field named HEAD and the head', memoryKey('a', 'k', 'HEAD'), headKey('a', 'k')],
  ])('do not meet: %s', (_name, left, right) => {
    expect(text(left)).not.toBe(text(right));
  });

  it('fit DynamoDB with the longest ids, however deep the actions stand in each other', () => {
    const longest = '😀'.repeat(32);
    let action = rootActionId(longest);
    for (let depth = 0; depth < 20; depth += 1) action = actionIdOf(action, 999, 'a'.repeat(64));
    for (const { pk, sk } of [
      ...keysOf([longest, longest, longest]),
      callKey(longest, action, slotName(longest, 999_999)),
      inboxKey('a'.repeat(64), longest, sequenceKey('9'.repeat(39)), longest, 999),
    ]) {
      expect(bytes(pk)).toBeLessThanOrEqual(2_048);
      expect(bytes(sk)).toBeLessThanOrEqual(1_024);
    }
  });

  it('name their run', () => {
    fc.assert(fc.property(ids, (id) => void expect(runIdOfPartition(runKey(id).pk)).toBe(id)));
  });
});

describe('sequence numbers', () => {
  it('are ordered as text as they are as numbers', () => {
    const numbers = fc.bigInt({ min: 0n, max: 10n ** 39n - 1n });
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sequenceKey(String(a)) < sequenceKey(String(b))).toBe(a < b);
      }),
    );
  });
});

describe('an id', () => {
  it.each(['a', 'k'.repeat(128), '😀'.repeat(32), 'a\nb', '\u0000', ' ', '#', '__proto__', 'constructor', 'pr-7@3f2a'])(
    'may be %j',
    (id) => {
      expect(checkId('requestId', id)).toBe(id);
    },
  );

  it.each([
    ['', 'requestId is empty. Give it at least one character.'],
    ['k'.repeat(129), 'requestId has 129 bytes. Shorten it to 128 or fewer.'],
    [`${'😀'.repeat(32)}a`, 'requestId has 129 bytes. Shorten it to 128 or fewer.'],
    ['ä'.repeat(65), 'requestId has 130 bytes. Shorten it to 128 or fewer.'],
    ['k'.repeat(10_000), 'requestId has 10000 bytes. Shorten it to 128 or fewer.'],
    ['a\ud800', 'requestId holds half a surrogate pair. Send whole characters.'],
    ['\udc00a', 'requestId holds half a surrogate pair. Send whole characters.'],
  ])('is refused by name: %j', (id, message) => {
    expect(() => checkId('requestId', id)).toThrow(new AgentError('INVALID_CALL', message));
  });
});
