import { expect, it } from 'vitest';
import { parseStartOptions } from '../../../lib/local/start-options.ts';

it('stays up with the sample by default', () => {
  expect(parseStartOptions([])).toEqual({
    once: false,
    agent: undefined,
    diffFile: undefined,
    stateDirectory: undefined,
    help: false,
  });
});

it('reads its options', () => {
  expect(
    parseStartOptions(['--once', '--agent', 'diff_report', '--diff', 'a.diff', '--state=/tmp/s', '--help']),
  ).toEqual({
    once: true,
    agent: 'diff_report',
    diffFile: 'a.diff',
    stateDirectory: '/tmp/s',
    help: true,
  });
});

it.each([
  [['--onec'], "Unknown option '--onec'."],
  [['--diff'], "Option '--diff <value>' argument missing."],
  [['a.diff'], "Unexpected argument 'a.diff'."],
])('refuses %j in one sentence and shows the options', (parameters, message) => {
  expect(() => parseStartOptions(parameters)).toThrow(new RegExp(`^${message}\n\nUsage: npm start`));
});
