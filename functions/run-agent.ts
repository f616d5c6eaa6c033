import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createRunDriver } from '../lib/runner/runtime.ts';
import { agents } from './agents/deployed.ts';
import { createDrivePorts } from './environment/aws-ports.ts';
import { parseAwsServices } from './environment/aws-services.ts';
import { parseRunAgentEnv } from './environment/run-agent-env.ts';
import { toBatchResponse } from './messages/batch-response.ts';
import { parseWake } from './messages/parse-wake.ts';

const env = parseRunAgentEnv(process.env);
const ports = createDrivePorts(env, parseAwsServices(process.env));
const driver = createRunDriver({ agents, config: env.DEPLOYMENT_CONFIG, ports });

/** Drives the run of each wake. A wake whose drive throws comes back. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const deadline = ports.clock.now() + context.getRemainingTimeInMillis();
  const failed: string[] = [];
  for (const { messageId, body } of event.Records) {
    const wake = parseWake(body);
    if (wake === undefined) {
      console.warn({ message: 'A message of the wake queue is no wake and was dropped.', messageId, body });
      continue;
    }
    try {
      await driver.driveRun(wake, { deadline });
    } catch (error) {
      console.error(`The drive of run ${wake.runId} threw; its wake will come back.`, error);
      failed.push(messageId);
    }
  }
  return toBatchResponse(failed);
}
