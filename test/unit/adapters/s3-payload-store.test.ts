import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { S3PayloadStore } from '../../../lib/adapters/s3-payload-store.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts';

const sha256 = createHash('sha256').update('text').digest('hex');
const reference = { bucket: 'payloads', key: `payload/run-1/${sha256}`, bytes: 4, sha256 };
const taken = () => ({ body: '' });
const refusal = (status: number, code: string) => () => ({
  status,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
});

describe('S3PayloadStore', () => {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.close());

  const open = async (script: Parameters<typeof openScriptedServer>[0]) => {
    server = await openScriptedServer(script);
    const { s3 } = createLocalClients({ s3: server.endpoint });
    return {
      store: new S3PayloadStore({ client: s3, bucket: 'payloads', retryMillis: 10 }),
      requests: server.requests,
    };
  };

  it('puts only what is not there', async () => {
    const { store, requests } = await open([taken]);
    expect(await store.put('run-1', 'text')).toEqual(reference);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.operation).toMatch(`PUT /payloads/payload/run-1/${sha256}`);
    expect(requests[0]?.headers).toMatchObject({ 'if-none-match': '*' });
  });

  it('takes it for success that the text is there already', async () => {
    const { store } = await open([refusal(412, 'PreconditionFailed')]);
    expect(await store.put('run-1', 'text')).toEqual(reference);
  });

  it('tries again when another writer is at the same key, with pauses that grow', async () => {
    const conflict = refusal(409, 'ConditionalRequestConflict');
    const { store, requests } = await open([conflict, conflict, refusal(412, 'PreconditionFailed')]);
    const startedAt = performance.now();
    expect(await store.put('run-1', 'text')).toEqual(reference);
    expect(requests).toHaveLength(3);
    // Timers may fire a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(10 + 20 - 2);
  });

  it('does not try for ever', async () => {
    const { store, requests } = await open(Array(20).fill(refusal(409, 'ConditionalRequestConflict')));
    await expect(store.put('run-1', 'text')).rejects.toThrow();
    expect(requests).toHaveLength(7);
  });

  it.each([
    [403, 'AccessDenied'],
    [404, 'NoSuchBucket'],
    [409, 'OperationAborted'],
  ])('does not hide that a put failed with %s %s', async (status, code) => {
    const { store } = await open([refusal(status, code)]);
    await expect(store.put('run-1', 'text')).rejects.toMatchObject({ name: code });
  });

  it.each([
    [404, 'NoSuchKey'],
    // What S3 answers for a missing key to a caller that may not list the bucket.
    [403, 'AccessDenied'],
  ])('misses a text on %s %s', async (status, code) => {
    const { store } = await open([refusal(status, code)]);
    await expect(store.get(reference)).rejects.toMatchObject({
      code: 'PAYLOAD_MISSING',
      cause: expect.objectContaining({ name: code }),
    });
  });

  it('does not take other failures for a missing text', async () => {
    const { store } = await open([refusal(403, 'SignatureDoesNotMatch')]);
    await expect(store.get(reference)).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  });

  it('does not give out what somebody changed', async () => {
    const { store } = await open([() => ({ body: 'test' })]);
    await expect(store.get(reference)).rejects.toMatchObject({
      code: 'PAYLOAD_MISSING',
      message: expect.stringContaining('differs from its digest'),
    });
  });
});
