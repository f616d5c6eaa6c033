import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';

/** Where the services are. Without endpoints: AWS itself. */
export interface AwsClientsOptions {
  /** @default the SDK's own search */
  readonly region?: string;
  /** @default the SDK's own search */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly endpoints?: {
    readonly dynamodb?: string;
    readonly sqs?: string;
    readonly s3?: string;
    readonly sfn?: string;
  };
}

/** One client of each service, with kept-alive connections. */
export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  /** Loaded and made at the first use. */
  readonly s3: () => Promise<S3Client>;
  /** Loaded and made at the first use. */
  readonly sfn: () => Promise<SFNClient>;
}

/** Makes the clients. */
export function createAwsClients({ region, credentials, endpoints = {} }: AwsClientsOptions = {}): AwsClients {
  const common = {
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 8,
    requestHandler: connections,
  };
  let s3: Promise<S3Client> | undefined;
  let sfn: Promise<SFNClient> | undefined;
  return {
    dynamodb: new DynamoDBClient({ ...common, ...at(endpoints.dynamodb) }),
    // Else the SDK sends to the host of the queue URL, whatever the endpoint says.
    sqs: new SQSClient({ ...common, ...at(endpoints.sqs), useQueueUrlAsEndpoint: endpoints.sqs === undefined }),
    s3: () => {
      s3 ??= import('@aws-sdk/client-s3').then(
        ({ S3Client }) => new S3Client({ ...common, ...at(endpoints.s3), forcePathStyle: endpoints.s3 !== undefined }),
      );
      return s3;
    },
    sfn: () => {
      sfn ??= import('@aws-sdk/client-sfn').then(({ SFNClient }) => new SFNClient({ ...common, ...at(endpoints.sfn) }));
      return sfn;
    },
  };
}

// A request that hangs must end well before a driver's lease of 60 s; the time-out only logs unless it is told to throw.
const connections = {
  connectionTimeout: 2_000,
  requestTimeout: 10_000,
  throwOnRequestTimeout: true,
  httpAgent: { keepAlive: true },
  httpsAgent: { keepAlive: true },
};

function at(endpoint: string | undefined): { readonly endpoint?: string } {
  return endpoint === undefined ? {} : { endpoint };
}
