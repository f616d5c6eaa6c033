import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DynamoDBItemStore } from '../../lib/adapters/dynamodb-item-store.ts';
import { type DynamoDBLocal, startDynamoDBLocal } from '../../scripts/dynamodb-local.ts';
import { itemEqualityContract } from '../contract/item-equality-contract.ts';
import { itemStoreContract } from '../contract/item-store-contract.ts';
import { createLocalClients } from '../contract/support/local-clients.ts';
import { createStore } from '../contract/support/store-table.ts';

describe('DynamoDBItemStore on DynamoDB Local', () => {
  let local: DynamoDBLocal | undefined;
  let client: DynamoDBClient;
  let store: DynamoDBItemStore;
  beforeAll(async () => {
    local = await startDynamoDBLocal();
    client = createLocalClients({ dynamodb: local.endpoint }).dynamodb;
    store = await createStore(client);
  });
  afterAll(() => local?.stop());

  itemStoreContract(() => store, { isFaithful: true });
  itemEqualityContract(() => store, { isFaithful: true });

  it('learns what stands there from the refusal itself', async () => {
    const commands: (string | undefined)[] = [];
    client.middlewareStack.add(
      (next, { commandName }) => {
        commands.push(commandName);
        return next;
      },
      { step: 'initialize' },
    );
    const there = { pk: 'KEY#a', sk: 'HEAD', vn: 7 };
    await store.put(there);
    const isNew = { kind: 'absent', attribute: 'pk' } as const;
    expect(await store.put({ ...there, vn: 8 }, isNew)).toEqual({ kind: 'refused', item: there });
    expect(await store.update(there, { set: { vn: 8 } }, isNew)).toEqual({ kind: 'refused', item: there });
    expect(commands).toEqual(['PutItemCommand', 'PutItemCommand', 'UpdateItemCommand']);
  });
});
