import { type FauxqsServer, startFauxqs } from 'fauxqs';
import type { AwsClients } from '../../../lib/adapters/aws-clients.ts';
import { createLocalClients } from './local-clients.ts';

export interface Fauxqs {
  readonly server: FauxqsServer;
  readonly clients: AwsClients;
  readonly close: () => Promise<void>;
}

/** Starts SQS and S3 in this process. */
export async function openFauxqs(): Promise<Fauxqs> {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const clients = createLocalClients({ sqs: endpoint, s3: endpoint });
  return {
    server,
    clients,
    close: async () => {
      clients.sqs.destroy();
      (await clients.s3()).destroy();
      await server.stop();
    },
  };
}
