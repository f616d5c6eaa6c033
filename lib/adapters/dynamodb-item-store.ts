import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type {
  Condition,
  DueEntry,
  DueQuery,
  Item,
  ItemChange,
  ItemKey,
  ItemStore,
  PartitionQuery,
  WriteResult,
} from '../ports/item-store.ts';
import { compileCondition, type Expression } from './condition-expression.ts';
import {
  fromStoredItem,
  fromStoredKey,
  type StoredItem,
  toStoredItem,
  toStoredKey,
  toStoredScalar,
} from './dynamodb-attributes.ts';
import { compileChange } from './update-expression.ts';

/** Where the items are. */
export interface DynamoDBItemStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** The index with partition key `gs` and sort key `du`. */
  readonly indexName: string;
}

/** The table in DynamoDB. */
export class DynamoDBItemStore implements ItemStore {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #indexName: string;

  constructor({ client, tableName, indexName }: DynamoDBItemStoreOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#indexName = indexName;
  }

  async get(key: ItemKey): Promise<Item | undefined> {
    const { Item: stored } = await this.#client.send(
      new GetItemCommand({ TableName: this.#tableName, Key: toStoredKey(key), ConsistentRead: true }),
    );
    return stored && fromStoredItem(stored);
  }

  async query({ pk, prefix = '', limit }: PartitionQuery): Promise<readonly Item[]> {
    const hasPrefix = prefix !== '';
    const items = await this.#queryPages(
      {
        ConsistentRead: true,
        KeyConditionExpression: hasPrefix ? '#pk = :pk AND begins_with(#sk, :prefix)' : '#pk = :pk',
        ExpressionAttributeNames: hasPrefix ? { '#pk': 'pk', '#sk': 'sk' } : { '#pk': 'pk' },
        ExpressionAttributeValues: {
          ':pk': toStoredScalar('pk', pk),
          ...(hasPrefix && { ':prefix': toStoredScalar('sk', prefix) }),
        },
      },
      limit,
    );
    return items.map(fromStoredItem);
  }

  async put(item: Item, condition?: Condition): Promise<WriteResult> {
    const request = { TableName: this.#tableName, Item: toStoredItem(item) };
    return this.#write(item, async () => {
      await this.#client.send(new PutItemCommand({ ...request, ...(condition && conditional(condition)) }));
      return fromStoredItem(request.Item);
    });
  }

  async update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    const update = compileChange(change);
    const command = new UpdateItemCommand({
      TableName: this.#tableName,
      Key: toStoredKey(key),
      ...conditional(mayCreate(change) ? condition : onlyThere(condition), update),
      ...(update.text !== '' && { UpdateExpression: update.text }),
      ReturnValues: 'ALL_NEW',
    });
    return this.#write(key, async () => {
      const { Attributes: stored } = await this.#client.send(command);
      return fromStoredItem(stored ?? toStoredKey(key));
    });
  }

  async delete(key: ItemKey): Promise<void> {
    await this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key: toStoredKey(key) }));
  }

  async queryDue({ shard, until, limit }: DueQuery): Promise<readonly DueEntry[]> {
    const entries = await this.#queryPages(
      {
        IndexName: this.#indexName,
        KeyConditionExpression: '#gs = :shard AND #du <= :until',
        ExpressionAttributeNames: { '#gs': 'gs', '#du': 'du' },
        ExpressionAttributeValues: { ':shard': toStoredScalar('gs', shard), ':until': toStoredScalar('du', until) },
      },
      limit,
    );
    return entries.map((entry) => ({ ...fromStoredKey(entry), dueAt: Number(entry.du?.N) }));
  }

  // A page ends at 1 MB, so only a page without a next key is the last one.
  async #queryPages(
    query: Omit<QueryCommandInput, 'TableName'>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<StoredItem[]> {
    const found: StoredItem[] = [];
    let next: StoredItem | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          ...query,
          TableName: this.#tableName,
          ...(Number.isFinite(limit) && { Limit: limit - found.length }),
          ...(next && { ExclusiveStartKey: next }),
        }),
      );
      found.push(...(page.Items ?? []));
      next = page.LastEvaluatedKey;
    } while (next !== undefined && found.length < limit);
    return found;
  }

  async #write(key: ItemKey, send: () => Promise<Item>): Promise<WriteResult> {
    try {
      return { kind: 'written', item: await send() };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The error carries no item when there is none, and never from a store that does not know the option.
      return { kind: 'refused', item: error.Item ? fromStoredItem(error.Item) : await this.get(key) };
    }
  }
}

// DynamoDB creates a missing item for no change at all, but not to remove something from it; emulators do both.
function mayCreate({ set = {}, add = {} }: ItemChange): boolean {
  return Object.keys(set).length + Object.keys(add).length > 0;
}

function onlyThere(condition: Condition): Condition {
  return { kind: 'all', conditions: [{ kind: 'present', attribute: 'pk' }, condition] };
}

function conditional(condition: Condition, update?: Expression) {
  const { text, names, values } = compileCondition(condition);
  const allValues = { ...values, ...update?.values };
  return {
    ConditionExpression: text,
    ExpressionAttributeNames: { ...names, ...update?.names },
    // An empty map of values is refused.
    ...(Object.keys(allValues).length > 0 && { ExpressionAttributeValues: allValues }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}
