import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createRequestAcceptor } from '../lib/runner/runtime.ts';
import { agents } from './agents/deployed.ts';
import { parseAcceptRequestsEnv } from './environment/accept-requests-env.ts';
import { createAcceptPorts } from './environment/aws-ports.ts';
import { parseAwsServices } from './environment/aws-services.ts';
import { toBatchResponse } from './messages/batch-response.ts';
import { toRequestMessage } from './messages/request-record.ts';

const env = parseAcceptRequestsEnv(process.env);
const ports = createAcceptPorts(env, parseAwsServices(process.env));
const acceptor = createRequestAcceptor({ agents, config: env.DEPLOYMENT_CONFIG, ports });

/** Records the requests of a batch as runs. What fails comes back, with what followed it in its group. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const deadline = ports.clock.now() + context.getRemainingTimeInMillis();
  const { results, failures } = await acceptor.acceptRequests(event.Records.map(toRequestMessage), { deadline });
  for (const { messageId, result } of results) {
    if (result.kind === 'refused') console.warn({ message: 'A request was refused.', messageId, ...result });
  }
  for (const { messageId, error } of failures) {
    console.error(`Message ${messageId} was not taken and will come back.`, error);
  }
  return toBatchResponse(failures.map(({ messageId }) => messageId));
}
