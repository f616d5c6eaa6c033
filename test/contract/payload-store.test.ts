import { afterAll, beforeAll, describe } from 'vitest';
import { S3PayloadStore } from '../../lib/adapters/s3-payload-store.ts';
import { InMemoryPayloadStore } from '../../lib/testing/in-memory-payload-store.ts';
import { payloadStoreContract } from './payload-store-contract.ts';
import { type Fauxqs, openFauxqs } from './support/fauxqs.ts';

describe('InMemoryPayloadStore', () => {
  const store = new InMemoryPayloadStore();
  payloadStoreContract(() => store);
});

describe('S3PayloadStore', () => {
  let fauxqs: Fauxqs;
  let store: S3PayloadStore;
  beforeAll(async () => {
    fauxqs = await openFauxqs();
    fauxqs.server.createBucket('payloads');
    store = new S3PayloadStore({ client: fauxqs.clients.s3, bucket: 'payloads' });
  });
  afterAll(() => fauxqs.close());
  payloadStoreContract(() => store);
});
