import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJsonBody, replaceForbiddenCharacters } from '../../../lib/adapters/sqs-body.ts';

// "Amazon SQS message quotas".
const ALLOWED = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\ufffe', '\uffff', '\ud83d', '\u0000', '\\', '"'),
  ),
});

describe('SQS bodies', () => {
  it('keep the meaning of JSON and hold only characters that SQS takes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const body = escapeJsonBody(JSON.stringify({ [text]: text }));
        expect(body).toMatch(ALLOWED);
        expect(JSON.parse(body)).toEqual({ [text]: text });
      }),
    );
  });

  it('hold plain text without the characters that SQS refuses', () => {
    fc.assert(fc.property(anyText, (text) => ALLOWED.test(replaceForbiddenCharacters(text))));
    expect(replaceForbiddenCharacters('ä\u0000b\ufffe\ud83d 😀\n')).toBe('ä\ufffdb\ufffd\ufffd 😀\n');
  });
});
