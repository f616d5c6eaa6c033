import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { startEmbeddedStore } from '../../../lib/local/embedded-store.ts';

it('listens on 127.0.0.1, and can be closed in the middle of requests', async () => {
  const store = await startEmbeddedStore();
  expect(store.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ region: 'us-east-1', endpoint: store.endpoint, credentials, maxAttempts: 1 });
  await client.send(
    new CreateTableCommand({
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  const put = (id: number) => new PutItemCommand({ TableName: 'things', Item: { pk: { S: `${id}` } } });
  const first = client.send(put(0));
  const others = Array.from({ length: 200 }, (_, id) => client.send(put(id + 1)));
  await first;
  await store.close();
  const results = await Promise.allSettled(others);
  expect(results.some(({ status }) => status === 'rejected')).toBe(true);
  await expect(client.send(put(99))).rejects.toThrow(/ECONNREFUSED/);
  client.destroy();
});
