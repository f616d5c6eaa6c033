import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createAwsClients } from '../../../lib/adapters/aws-clients.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';
import { openScriptedServer } from './support/scripted-server.ts';

const loaded = vi.hoisted(() => ({ s3: false, sfn: false }));
vi.mock('@aws-sdk/client-s3', async (importOriginal) => {
  loaded.s3 = true;
  return importOriginal();
});
vi.mock('@aws-sdk/client-sfn', async (importOriginal) => {
  loaded.sfn = true;
  return importOriginal();
});

const region = 'eu-west-1';

describe('createAwsClients', () => {
  it.each(['s3', 'sfn'] as const)('loads the module of %s at its first use, and makes one client', async (service) => {
    const clients = createAwsClients({ region });
    expect(loaded[service]).toBe(false);
    const client = await clients[service]();
    expect(loaded[service]).toBe(true);
    expect(await clients[service]()).toBe(client);
  });

  it('sends every service to the endpoint that it was given', async () => {
    const [dynamo, queues, buckets, machines] = [1, 2, 3, 4].map((port) => `http://127.0.0.1:${port}`);
    const endpoints = { dynamodb: dynamo ?? '', sqs: queues ?? '', s3: buckets ?? '', sfn: machines ?? '' };
    const { dynamodb, sqs, s3, sfn } = createAwsClients({ region, endpoints });
    const ports = [dynamodb, sqs, await s3(), await sfn()].map(async ({ config }) => (await config.endpoint?.())?.port);
    expect(await Promise.all(ports)).toEqual([1, 2, 3, 4]);
    expect(sqs.config.useQueueUrlAsEndpoint).toBe(false);
    expect((await s3()).config.forcePathStyle).toBe(true);
  });

  it('leaves the endpoints to AWS without one', async () => {
    const { dynamodb, sqs, s3, sfn } = createAwsClients({ region });
    const clients = [dynamodb, sqs, await s3(), await sfn()];
    expect(clients.map(({ config }) => config.endpoint)).toEqual(clients.map(() => undefined));
    expect(sqs.config.useQueueUrlAsEndpoint).toBe(true);
    expect((await s3()).config.forcePathStyle).toBe(false);
    expect(await dynamodb.config.region()).toBe(region);
  });

  it('tries eight times', async () => {
    const { dynamodb, sqs, s3, sfn } = createAwsClients({ region });
    for (const { config } of [dynamodb, sqs, await s3(), await sfn()]) {
      expect(await config.maxAttempts()).toBe(8);
    }
  });

  it('keeps connections and lets no request hang', async () => {
    const server = await openScriptedServer([() => ({ body: '{"TableNames":[]}' })]);
    const { dynamodb } = createLocalClients({ dynamodb: server.endpoint });
    await dynamodb.send(new ListTablesCommand());
    await server.close();
    // Known once a request was made; its type leaves the method out.
    const handler = dynamodb.config.requestHandler as unknown as { httpHandlerConfigs(): Record<string, unknown> };
    const { httpAgent, httpsAgent, ...timeouts } = handler.httpHandlerConfigs();
    expect(timeouts).toMatchObject({ connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true });
    expect([httpAgent, httpsAgent]).toMatchObject([{ keepAlive: true }, { keepAlive: true }]);
  });
});
