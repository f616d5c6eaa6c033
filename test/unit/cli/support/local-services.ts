import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { type AwsClients, createAwsClients } from '../../../../lib/adapters/aws-clients.ts';
import { startEmbeddedQueues } from '../../../../lib/local/embedded-queues.ts';
import { startEmbeddedStore } from '../../../../lib/local/embedded-store.ts';
import type { RunningStack } from '../../../../lib/local/running-stack.ts';
import { createStore, TABLE_NAME } from '../../../contract/support/store-table.ts';

export interface LocalServices {
  /** As a local stack announces itself. */
  readonly stack: RunningStack;
  readonly clients: AwsClients;
  close(): Promise<void>;
}

const region = 'us-east-1';

/** Table, queues and bucket in this process, as the template makes them, without functions. */
export async function startLocalServices(): Promise<LocalServices> {
  const [store, queues] = await Promise.all([startEmbeddedStore(), startEmbeddedQueues(region)]);
  const endpoints = { dynamodb: store.endpoint, sqs: queues.endpoint, s3: queues.endpoint, sfn: 'http://127.0.0.1:4' };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const clients = createAwsClients({ region, credentials, endpoints });
  await createStore(clients.dynamodb);
  await (await clients.s3()).send(new CreateBucketCommand({ Bucket: 'payloads' }));
  const createQueue = async (name: string): Promise<string> => {
    const Attributes = { FifoQueue: 'true' };
    const { QueueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes }));
    return QueueUrl;
  };
  const outputs = {
    RequestQueueUrl: await createQueue('requests'),
    DeadLetterQueueUrl: await createQueue('dead-letters'),
    TableName: TABLE_NAME,
    PayloadBucketName: 'payloads',
  };
  return {
    stack: { pid: process.pid, region, endpoints, outputs, logDirectory: '/nowhere' },
    clients,
    async close() {
      clients.dynamodb.destroy();
      clients.sqs.destroy();
      (await clients.s3()).destroy();
      await Promise.all([store.close(), queues.close()]);
    },
  };
}
