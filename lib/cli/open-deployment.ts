import * as z from 'zod';
import { type AwsClientsOptions, createAwsClients } from '../adapters/aws-clients.ts';
import { readStackOutputs } from '../adapters/cloudformation-stack.ts';
import { DynamoDBItemStore } from '../adapters/dynamodb-item-store.ts';
import { S3PayloadStore } from '../adapters/s3-payload-store.ts';
import { AgentError } from '../errors/agent-error.ts';
import { type CommandEnvironment, chooseDeployment } from './choose-deployment.ts';
import type { Deployment, DeploymentChoice } from './deployment.ts';
import { SqsDeadLetterBox } from './sqs-dead-letter-box.ts';
import { SqsRequestQueue } from './sqs-request-queue.ts';

const outputsSchema = z.object({
  RequestQueueUrl: z.string(),
  DeadLetterQueueUrl: z.string(),
  TableName: z.string(),
  PayloadBucketName: z.string(),
});

/** Outputs of the template, by name. */
type StackOutputs = Readonly<Record<string, string>>;

// The index's name is part of the store's layout, as the names of its attributes are.
const INDEX_NAME = 'due';

/**
 * Connects to the deployment that was chosen.
 * @param note told what the user may not expect
 * @throws AgentError `STACK_NOT_FOUND`, and what the AWS SDK throws
 */
export async function openDeployment(
  choice: DeploymentChoice,
  environment: CommandEnvironment,
  note: (text: string) => void,
): Promise<Deployment> {
  const chosen = await chooseDeployment(choice, environment);
  if (chosen.kind === 'local') {
    const { region, endpoints, outputs } = chosen.stack;
    if (chosen.insteadOf) note(`This is the local stack. For the deployed one: --stack ${chosen.insteadOf}`);
    // The local services take any credentials.
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    return connect('the local stack', outputs, { region, endpoints, credentials });
  }
  const services = deployedServices(choice, environment);
  const outputs = await readStackOutputs(chosen.stackName, {
    region: services.region,
    endpoint: endpointOf('CLOUDFORMATION', choice, environment),
  });
  return connect(`stack "${chosen.stackName}"`, outputs, services);
}

function connect(name: string, outputs: StackOutputs, services: AwsClientsOptions): Deployment {
  const parsed = outputsSchema.safeParse(outputs);
  if (!parsed.success) {
    const missing = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
    throw new AgentError(
      'STACK_NOT_FOUND',
      `${name} has no output ${missing}. Name a stack that AgentStack made and that is completely deployed.`,
    );
  }
  const { TableName, PayloadBucketName, RequestQueueUrl, DeadLetterQueueUrl } = parsed.data;
  const clients = createAwsClients(services);
  return {
    name,
    items: new DynamoDBItemStore({ client: clients.dynamodb, tableName: TableName, indexName: INDEX_NAME }),
    payloads: new S3PayloadStore({ client: clients.s3, bucket: PayloadBucketName }),
    requests: new SqsRequestQueue(clients.sqs, RequestQueueUrl),
    deadLetters: new SqsDeadLetterBox({ client: clients.sqs, queueUrl: DeadLetterQueueUrl }),
    close() {
      clients.dynamodb.destroy();
      clients.sqs.destroy();
    },
  };
}

/** Passed to the clients by hand: left to itself, the SQS client goes to the host of the queue's URL. */
function deployedServices(choice: DeploymentChoice, environment: CommandEnvironment): AwsClientsOptions {
  const dynamodb = endpointOf('DYNAMODB', choice, environment);
  const sqs = endpointOf('SQS', choice, environment);
  const s3 = endpointOf('S3', choice, environment);
  return {
    ...(choice.region === undefined ? {} : { region: choice.region }),
    endpoints: { ...(dynamodb && { dynamodb }), ...(sqs && { sqs }), ...(s3 && { s3 }) },
  };
}

function endpointOf(service: string, { endpointUrl }: DeploymentChoice, { variables }: CommandEnvironment) {
  return endpointUrl ?? (variables[`AWS_ENDPOINT_URL_${service}`] || variables.AWS_ENDPOINT_URL || undefined);
}
