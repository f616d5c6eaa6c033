import { expect, it } from 'vitest';
import { progressLine } from '../../../lib/local/progress-line.ts';

const trace = (fields: object): string =>
  JSON.stringify({
    record: 'trace',
    run_id: 'run-1',
    entity_type: 'durable_call',
    entity_name: 'open-ticket',
    status: 'success',
    ...fields,
  });

it('tells what happened, how long it took and what went wrong', () => {
  expect(progressLine(trace({}), 'run-1')).toBe('durable call open-ticket success');
  expect(progressLine(trace({ duration_ms: 12 }), 'run-1')).toBe('durable call open-ticket success, 12 ms');
  const failed = { status: 'failed', duration_ms: 3, error: { name: 'TypeError', message: 'no' } };
  expect(progressLine(trace(failed), 'run-1')).toBe('durable call open-ticket failed, 3 ms: TypeError: no');
});

it.each([
  ['another run', trace({ run_id: 'run-2' })],
  ['another record', trace({ record: 'metric' })],
  ['plain text', 'hello'],
  ['broken JSON', '{"record":'],
])('says nothing about %s', (_name, text) => {
  expect(progressLine(text, 'run-1')).toBeUndefined();
});
