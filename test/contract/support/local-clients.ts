import { type AwsClients, type AwsClientsOptions, createAwsClients } from '../../../lib/adapters/aws-clients.ts';

/** Clients for emulators, which take any credentials. */
export function createLocalClients(endpoints: NonNullable<AwsClientsOptions['endpoints']>): AwsClients {
  return createAwsClients({
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    endpoints,
  });
}
