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

it('tells when a run stops using compute, who is polled meanwhile, and when a later driver goes on', () => {
  const run = { entity_type: 'run', entity_name: 'code_review', duration_ms: 5 };
  const subagent = { entity_type: 'subagent', entity_name: 'test_runner' };
  const line = (fields: object) => progressLine(trace(fields), 'run-1');
  expect(line({ ...run, status: 'started', entity_metadata: { epoch: 1 } })).toBe('run code_review started, 5 ms');
  expect(line({ ...subagent, status: 'started' })).toBe(
    'subagent test_runner started: it is polled until it has ended',
  );
  expect(line({ ...run, status: 'suspended' })).toBe(
    'run code_review suspended, 5 ms: no compute until something happens',
  );
  expect(line({ ...run, status: 'started', entity_metadata: { epoch: 2 } })).toBe('run code_review goes on, 5 ms');
  expect(line({ ...subagent, status: 'reused', duration_ms: 3 })).toBe('subagent test_runner reused, 3 ms');
});

it.each([
  ['another run', trace({ run_id: 'run-2' })],
  ['another record', trace({ record: 'metric' })],
  ['plain text', 'hello'],
  ['broken JSON', '{"record":'],
])('says nothing about %s', (_name, text) => {
  expect(progressLine(text, 'run-1')).toBeUndefined();
});
