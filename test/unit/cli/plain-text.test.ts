import { describe, expect, it } from 'vitest';
import { formatAge, formatDuration, manyLines, oneLine, shorten } from '../../../lib/cli/plain-text.ts';
import { renderTable } from '../../../lib/cli/table.ts';

describe('shorten', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀…'],
  ])('%j to %d characters', (text, length, expected) => {
    expect(shorten(text, length)).toBe(expected);
  });
});

describe('oneLine', () => {
  it('lets nothing act on the terminal', () => {
    expect(oneLine('a\r\n\tb \u001b[31m\u0007 \u202e \u2028 Grüße 😀')).toBe(
      'a b \\u001b[31m\\u0007 \\u202e \\u2028 Grüße 😀',
    );
  });
});

describe('manyLines', () => {
  it('keeps line breaks only', () => {
    expect(manyLines('a\u001b[2J\r\nb')).toBe('a\\u001b[2J \nb');
  });
});

describe('times', () => {
  it.each([
    [0, '0 ms', '0 s'],
    [999, '999 ms', '0 s'],
    [1_005, '1.00 s', '1 s'],
    [59_999, '59.99 s', '59 s'],
    [61_000, '1 min 1 s', '1 min'],
    [7_380_000, '2 h 3 min', '2 h'],
    [183_600_000, '2 d 3 h', '2 d'],
  ])('%d ms', (millis, duration, age) => {
    expect([formatDuration(millis), formatAge(millis)]).toEqual([duration, age]);
  });
});

describe('renderTable', () => {
  it('aligns columns and cuts the last one only', () => {
    const rows = [
      ['long-identifier', 'x', 'a message that is too long'],
      ['id', 'yy', ''],
    ];
    expect(renderTable(['ID', 'N', 'ERROR'], rows, 34)).toBe(
      ['ID               N   ERROR', 'long-identifier  x   a message th…', 'id               yy'].join('\n'),
    );
  });

  it('keeps a row in one line', () => {
    expect(renderTable(['A', 'B'], [['a\nb', 'c\nd']], undefined)).toBe('A    B\na b  c d');
  });
});
