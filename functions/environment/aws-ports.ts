import { randomUUID } from 'node:crypto';
import { type AwsClients, type AwsClientsOptions, createAwsClients } from '../../lib/adapters/aws-clients.ts';
import { DynamoDBItemStore } from '../../lib/adapters/dynamodb-item-store.ts';
import { S3PayloadStore } from '../../lib/adapters/s3-payload-store.ts';
import { SfnPollScheduler } from '../../lib/adapters/sfn-poll-scheduler.ts';
import { SqsDeadLetterQueue } from '../../lib/adapters/sqs-dead-letter-queue.ts';
import { SqsOutputQueue } from '../../lib/adapters/sqs-output-queue.ts';
import { SqsWakeQueue } from '../../lib/adapters/sqs-wake-queue.ts';
import { StdoutTraceSink } from '../../lib/adapters/stdout-trace-sink.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import type { PollPorts } from '../../lib/polling/poll-ports.ts';
import type { AcceptPorts, DrivePorts } from '../../lib/runner/runner-ports.ts';
import type { SweepPorts } from '../../lib/runner/sweep-runs.ts';
import type { AcceptRequestsEnv } from './accept-requests-env.ts';
import type { PollSubagentEnv } from './poll-subagent-env.ts';
import type { RunAgentEnv } from './run-agent-env.ts';
import type { SweepRunsEnv } from './sweep-runs-env.ts';

/** The ports of accept-requests, on AWS. */
export function createAcceptPorts(env: AcceptRequestsEnv, services: AwsClientsOptions): AcceptPorts {
  const clients = createAwsClients(services);
  const payloads = new S3PayloadStore({ client: clients.s3, bucket: env.PAYLOAD_BUCKET_NAME });
  const deadLetters = new SqsDeadLetterQueue({
    client: clients.sqs,
    queueUrl: env.DEAD_LETTER_QUEUE_URL,
    payloads,
  });
  return { ...storeAndWakes(env, clients), payloads, deadLetters };
}

/** The ports of run-agent, on AWS. */
export function createDrivePorts(env: RunAgentEnv, services: AwsClientsOptions): DrivePorts {
  const clients = createAwsClients(services);
  return {
    ...storeAndWakes(env, clients),
    payloads: new S3PayloadStore({ client: clients.s3, bucket: env.PAYLOAD_BUCKET_NAME }),
    polls: new SfnPollScheduler({ client: clients.sfn, stateMachineArn: env.STATUS_POLLER_ARN }),
    outputs: new SqsOutputQueue({ client: clients.sqs, queueUrl: env.OUTPUT_QUEUE_URL }),
    trace: new StdoutTraceSink(),
    createToken: randomUUID,
  };
}

/** The ports of poll-subagent, on AWS. */
export function createPollPorts(env: PollSubagentEnv, services: AwsClientsOptions): PollPorts {
  const clients = createAwsClients(services);
  const payloads = new S3PayloadStore({ client: clients.s3, bucket: env.PAYLOAD_BUCKET_NAME });
  return { ...storeAndWakes(env, clients), payloads };
}

/** The ports of sweep-runs, on AWS. */
export const createSweepPorts = (env: SweepRunsEnv, services: AwsClientsOptions): SweepPorts =>
  storeAndWakes(env, createAwsClients(services));

function storeAndWakes(env: SweepRunsEnv, clients: AwsClients): SweepPorts {
  return {
    items: new DynamoDBItemStore({
      client: clients.dynamodb,
      tableName: env.STORE_TABLE_NAME,
      indexName: env.STORE_INDEX_NAME,
    }),
    wakes: new SqsWakeQueue({ client: clients.sqs, queueUrl: env.WAKE_QUEUE_URL }),
    clock: new SystemClock(),
  };
}
