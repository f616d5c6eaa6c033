import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { defineAgent, EventType } from 'lambda-agents';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import type { ItemStore } from '../../lib/ports/item-store.ts';
import { createRequestAcceptor, createRunDriver } from '../../lib/runner/runtime.ts';
import { InMemoryPayloadStore } from '../../lib/testing/in-memory-payload-store.ts';
import { InMemoryDeadLetterQueue, InMemoryOutputQueue, InMemoryWakeQueue } from '../../lib/testing/in-memory-queues.ts';
import { createLocalClients } from '../contract/support/local-clients.ts';
import { createStore, TABLE_NAME } from '../contract/support/store-table.ts';
import { noPolls } from '../support/no-polls.ts';
import { atMost, type Figure, median } from './figure.ts';

const CALLS = 100;
const ROUNDS = 25;
const WARM_UP = 5;

/** A durable call against a raw conditional put of the same client into the same store, in turns. */
export async function storeFigures(): Promise<readonly Figure[]> {
  const server = fork(join(import.meta.dirname, 'store-server.ts'));
  const [endpoint] = (await once(server, 'message')) as [string];
  const { dynamodb: client } = createLocalClients({ dynamodb: endpoint });
  const store = await createStore(client);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const raw = await rawPuts(client, round);
    const durable = await durableCalls(store, round);
    ratios.push(durable / raw);
  }
  client.destroy();
  server.disconnect();
  return [atMost('store: durable call over a raw conditional put', median(ratios.slice(WARM_UP)), 'ratio', 1.15)];
}

async function rawPuts(client: DynamoDBClient, round: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    await client.send(
      new PutItemCommand({
        TableName: TABLE_NAME,
        Item: {
          pk: { S: `RAW#${round}` },
          sk: { S: `CALL#0123456789012345678901#call-${call}#0` },
          ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`a${index}`, { S: 'some text' }])),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
  }
  return performance.now() - start;
}

/** Time of the calls alone: from the start of the action to the outcome of its last call. */
async function durableCalls(items: ItemStore, round: number): Promise<number> {
  let elapsed = 0;
  const agent = defineAgent({ name: 'calls' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    const start = performance.now();
    for (let call = 0; call < CALLS; call += 1) await ctx.durableExecute({ id: `call-${call}`, call: () => call });
    elapsed = performance.now() - start;
  });
  const clock = new SystemClock();
  const ports = {
    items,
    payloads: new InMemoryPayloadStore(),
    wakes: new InMemoryWakeQueue(clock),
    outputs: new InMemoryOutputQueue(clock),
    deadLetters: new InMemoryDeadLetterQueue(),
    clock,
    trace: { write: () => {} },
    polls: noPolls,
    createToken: () => `driver-${round}`,
  };
  const requestId = `bench-${round}`;
  const message = {
    messageId: requestId,
    groupId: 'bench',
    sequenceNumber: '1',
    body: JSON.stringify({ agent: 'calls', requestId, input: null }),
  };
  const invocation = { deadline: clock.now() + 300_000 };
  await createRequestAcceptor({ agents: [agent], ports }).acceptRequests([message], invocation);
  await createRunDriver({ agents: [agent], ports }).driveRun({ runId: requestId, reason: 'accepted' }, invocation);
  return elapsed;
}
