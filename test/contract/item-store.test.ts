import { afterAll, beforeAll, describe } from 'vitest';
import { InMemoryItemStore } from '../../lib/testing/in-memory-item-store.ts';
import { itemEqualityContract } from './item-equality-contract.ts';
import { itemStoreContract } from './item-store-contract.ts';
import { openDynaliteStore } from './support/dynalite-store.ts';

describe('InMemoryItemStore', () => {
  const store = new InMemoryItemStore();
  itemStoreContract(() => store, { isFaithful: true });
});

describe('DynamoDBItemStore on dynalite', () => {
  let opened: Awaited<ReturnType<typeof openDynaliteStore>>;
  beforeAll(async () => {
    opened = await openDynaliteStore();
  });
  afterAll(() => opened.close());
  itemStoreContract(() => opened.store, { isFaithful: false });
  itemEqualityContract(() => opened.store, { isFaithful: false });
});
