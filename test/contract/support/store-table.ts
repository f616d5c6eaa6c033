import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBItemStore } from '../../../lib/adapters/dynamodb-item-store.ts';

export const TABLE_NAME = 'store';
const INDEX_NAME = 'due';

/** Creates the table with its index, as the stack does, and opens it. */
export async function createStore(client: DynamoDBClient): Promise<DynamoDBItemStore> {
  await client.send(
    new CreateTableCommand({
      TableName: TABLE_NAME,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'gs', AttributeType: 'S' },
        { AttributeName: 'du', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: INDEX_NAME,
          KeySchema: [
            { AttributeName: 'gs', KeyType: 'HASH' },
            { AttributeName: 'du', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName: TABLE_NAME });
  return new DynamoDBItemStore({ client, tableName: TABLE_NAME, indexName: INDEX_NAME });
}
