import { describe, expect, it } from 'vitest';
import { decideBatch } from '../../../lib/local/decide-batch.ts';
import type { InvocationOutcome } from '../../../lib/local/invocation.ts';

const IDS = ['m1', 'm2', 'm3'];
const returned = (result: unknown): InvocationOutcome => ({ kind: 'succeeded', result });
const error = { errorType: 'Error', errorMessage: 'boom', trace: [] };

describe('decideBatch', () => {
  it.each([
    ['null', null],
    ['an empty object', {}],
    ['an empty list', { batchItemFailures: [] }],
    ['a null list', { batchItemFailures: null }],
  ])('deletes everything when the handler returns %s', (_name, result) => {
    expect(decideBatch(IDS, returned(result), true)).toEqual({ deleted: IDS });
  });

  it('keeps the reported messages only', () => {
    const result = { batchItemFailures: [{ itemIdentifier: 'm2' }, { itemIdentifier: 'm2' }] };
    expect(decideBatch(IDS, returned(result), true)).toEqual({ deleted: ['m1', 'm3'] });
  });

  it.each([
    ['an id of another batch', { batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm9' }] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['another key', { batchItemFailures: [{ ItemIdentifier: 'm1' }] }],
    ['other casing', { BatchItemFailures: [{ itemIdentifier: 'm1' }] }],
    ['no list', { batchItemFailures: { itemIdentifier: 'm1' } }],
    ['a bare list', []],
    ['a text', 'done'],
    ['a number', 1],
  ])('keeps the whole batch and says why when the handler returns %s', (_name, result) => {
    expect(decideBatch(IDS, returned(result), true)).toEqual({ deleted: [], problem: expect.any(String) });
  });

  it.each<InvocationOutcome>([
    { kind: 'failed', error },
    { kind: 'not-started', error },
    { kind: 'timed-out', timeoutMillis: 1_000 },
    { kind: 'crashed', exitCode: null, signal: 'SIGKILL' },
  ])('keeps the whole batch when the invocation ended $kind', (outcome) => {
    expect(decideBatch(IDS, outcome, true)).toEqual({ deleted: [] });
    expect(decideBatch(IDS, outcome, false)).toEqual({ deleted: [] });
  });

  it('does not look at the result of a mapping without partial batches', () => {
    expect(decideBatch(IDS, returned({ batchItemFailures: [{ itemIdentifier: 'm1' }] }), false)).toEqual({
      deleted: IDS,
    });
  });
});
