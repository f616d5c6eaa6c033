import { afterEach, describe, expect, it } from 'vitest';
import { DynamoDBItemStore } from '../../../lib/adapters/dynamodb-item-store.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';
import { openScriptedServer, type ScriptedServer } from './support/scripted-server.ts';

const key = { pk: 'RUN#1', sk: 'RUN' };
const stored = { pk: { S: 'RUN#1' }, sk: { S: 'RUN' }, ep: { N: '3' } };
const isNew = { kind: 'absent', attribute: 'pk' } as const;
const refusal = (more: object) => () => ({
  status: 400,
  body: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
    ...more,
  }),
});
const answer = (body: object) => () => ({ body: JSON.stringify(body) });

describe('DynamoDBItemStore', () => {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.close());

  const open = async (script: Parameters<typeof openScriptedServer>[0]) => {
    server = await openScriptedServer(script);
    const client = createLocalClients({ dynamodb: server.endpoint }).dynamodb;
    const store = new DynamoDBItemStore({ client, tableName: 'store', indexName: 'due' });
    const { requests } = server;
    return {
      store,
      operations: () => requests.map(({ operation }) => operation),
      bodies: () => requests.map(({ body }) => JSON.parse(body)),
    };
  };

  it('asks a refusal for the item, and reads nothing when it brings it', async () => {
    const { store, operations, bodies } = await open([refusal({ Item: stored })]);
    expect(await store.put({ ...key, ep: 4 }, isNew)).toEqual({ kind: 'refused', item: { ...key, ep: 3 } });
    expect(operations()).toEqual(['PutItem']);
    expect(bodies()).toMatchObject([{ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }]);
  });

  it('reads the item, strongly consistent, when the refusal brings none', async () => {
    const { store, operations, bodies } = await open([refusal({}), answer({ Item: stored })]);
    const result = await store.update(key, { set: { ep: 4 } }, isNew);
    expect(result).toEqual({ kind: 'refused', item: { ...key, ep: 3 } });
    expect(operations()).toEqual(['UpdateItem', 'GetItem']);
    expect(bodies()[1]).toEqual({ TableName: 'store', Key: { pk: stored.pk, sk: stored.sk }, ConsistentRead: true });
  });

  it('does not take another error for a refusal', async () => {
    const { store } = await open([
      () => ({ status: 400, body: JSON.stringify({ __type: 'x#ValidationException', message: 'no' }) }),
    ]);
    await expect(store.put(key, isNew)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('writes an update as one request', async () => {
    const { store, bodies } = await open([answer({ Attributes: stored })]);
    await store.update(
      key,
      { set: { st: 'RUNNING', wy: ['2', '10'] }, add: { wk: 1 }, remove: ['ow', 'lu'], take: { wa: ['3', '1'] } },
      { kind: 'equal', attribute: 'ep', value: 3 },
    );
    expect(bodies()).toEqual([
      {
        TableName: 'store',
        Key: { pk: { S: 'RUN#1' }, sk: { S: 'RUN' } },
        UpdateExpression: 'SET #u0 = :u0, #u1 = :u1 ADD #u2 :u2 REMOVE #u3, #u4 DELETE #u5 :u3',
        ConditionExpression: '#c0 = :c0',
        ExpressionAttributeNames: {
          '#c0': 'ep',
          '#u0': 'st',
          '#u1': 'wy',
          '#u2': 'wk',
          '#u3': 'ow',
          '#u4': 'lu',
          '#u5': 'wa',
        },
        ExpressionAttributeValues: {
          ':c0': { N: '3' },
          ':u0': { S: 'RUNNING' },
          ':u1': { SS: ['2', '10'] },
          ':u2': { N: '1' },
          ':u3': { SS: ['3', '1'] },
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it.each([
    ['takes', { take: { wa: ['1'] } }, 'DELETE #u0 :u0'],
    ['removes', { remove: ['wa'] }, 'REMOVE #u0'],
    ['does nothing', {}, undefined],
  ])('demands that the item is there where an update only %s', async (_, change, text) => {
    const { store, bodies } = await open([answer({ Attributes: stored }), answer({ Attributes: stored })]);
    await store.update(key, change, { kind: 'equal', attribute: 'ep', value: 3 });
    await store.update(key, { ...change, set: { st: 'RUNNING' } }, { kind: 'equal', attribute: 'ep', value: 3 });
    expect(bodies()[0].ConditionExpression).toBe('attribute_exists(#c0) AND #c1 = :c0');
    expect(bodies()[0].ExpressionAttributeNames).toMatchObject({ '#c0': 'pk', '#c1': 'ep' });
    expect(bodies()[0].UpdateExpression).toBe(text);
    expect(bodies()[1].ConditionExpression).toBe('#c0 = :c0');
  });

  it('sorts the sets that it reads', async () => {
    const { store } = await open([answer({ Item: { ...stored, wa: { SS: ['b', 'a', '10', '9'] } } })]);
    expect(await store.get(key)).toMatchObject({ wa: ['10', '9', 'a', 'b'] });
  });

  it.each([
    ['an empty set', { wa: [] }],
    ['a member twice', { wa: ['1', '1'] }],
    ['a member that is no text', { wa: ['1', 2 as never] }],
    ['a member that is ill-formed', { wa: ['\ud83d'] }],
  ])('sends no request with %s', async (_, members) => {
    const { store, operations } = await open([]);
    await expect(store.put({ ...key, ...members })).rejects.toThrow('"wa" is no set of text');
    await expect(store.update(key, { set: members }, isNew)).rejects.toThrow('"wa" is no set of text');
    await expect(store.update(key, { take: members }, isNew)).rejects.toThrow('"wa" is no set of text');
    expect(operations()).toEqual([]);
  });

  it('reads a partition strongly consistent, page after page, up to the limit', async () => {
    const page = (sk: string, isLast = false) =>
      answer({
        Items: [{ pk: { S: 'RUN#1' }, sk: { S: sk } }],
        ...(!isLast && { LastEvaluatedKey: { pk: { S: 'RUN#1' }, sk: { S: sk } } }),
      });
    const { store, bodies } = await open([page('A'), page('B'), page('C', true), page('A'), page('B')]);
    expect((await store.query({ pk: 'RUN#1' })).map(({ sk }) => sk)).toEqual(['A', 'B', 'C']);
    expect((await store.query({ pk: 'RUN#1', limit: 2 })).map(({ sk }) => sk)).toEqual(['A', 'B']);
    expect(bodies().every(({ ConsistentRead }) => ConsistentRead === true)).toBe(true);
    expect(bodies().map(({ Limit }) => Limit)).toEqual([undefined, undefined, undefined, 2, 1]);
    expect(bodies().map(({ ExclusiveStartKey }) => ExclusiveStartKey?.sk.S)).toEqual([
      undefined,
      'A',
      'B',
      undefined,
      'A',
    ]);
  });

  it('asks the index, which knows no strong consistency', async () => {
    const { store, bodies } = await open([answer({ Items: [{ ...stored, gs: { S: '0' }, du: { N: '5' } }] })]);
    expect(await store.queryDue({ shard: '0', until: 9, limit: 25 })).toEqual([{ ...key, dueAt: 5 }]);
    expect(bodies()).toMatchObject([{ IndexName: 'due', Limit: 25 }]);
    expect(bodies()[0]).not.toHaveProperty('ConsistentRead');
  });

  it.each([
    ['a type that it never writes', { BOOL: true }],
    ['a number that is not exact', { N: '9007199254740993' }],
    ['a fraction', { N: '0.5' }],
    ['a set of numbers', { NS: ['1'] }],
    ['a list', { L: [{ S: 'a' }] }],
  ])('does not give out %s', async (_, value) => {
    const { store } = await open([answer({ Item: { ...stored, odd: value } })]);
    await expect(store.get(key)).rejects.toThrow('Stored attribute "odd"');
  });
});
