import * as z from 'zod';
import type { AwsClientsOptions } from '../../lib/adapters/aws-clients.ts';
import { type Environment, parseEnvironment } from './parse-environment.ts';

const endpoint = z.url().optional();

// Lambda sets the region, an emulator the endpoints, by the names that every AWS SDK knows.
const schema = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ENDPOINT_URL: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_SQS: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ENDPOINT_URL_SFN: endpoint,
});

/**
 * Where the AWS services are. Passed to the clients by hand: left to itself, the SQS client goes to the host of the queue's URL.
 * @throws AgentError `INVALID_ENVIRONMENT`
 */
export function parseAwsServices(environment: Environment): AwsClientsOptions {
  const found = parseEnvironment('AWS', schema, environment);
  const dynamodb = found.AWS_ENDPOINT_URL_DYNAMODB ?? found.AWS_ENDPOINT_URL;
  const sqs = found.AWS_ENDPOINT_URL_SQS ?? found.AWS_ENDPOINT_URL;
  const s3 = found.AWS_ENDPOINT_URL_S3 ?? found.AWS_ENDPOINT_URL;
  const sfn = found.AWS_ENDPOINT_URL_SFN ?? found.AWS_ENDPOINT_URL;
  return {
    region: found.AWS_REGION,
    endpoints: { ...(dynamodb && { dynamodb }), ...(sqs && { sqs }), ...(s3 && { s3 }), ...(sfn && { sfn }) },
  };
}
