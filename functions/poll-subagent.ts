import type { Context } from 'aws-lambda';
import { createStatusPoller } from '../lib/polling/status-poller.ts';
import type { PollRound } from '../lib/ports/poll-scheduler.ts';
import { agents } from './agents/deployed.ts';
import { createPollPorts } from './environment/aws-ports.ts';
import { parseAwsServices } from './environment/aws-services.ts';
import { parsePollSubagentEnv } from './environment/poll-subagent-env.ts';
import { parsePollRound } from './messages/parse-poll-round.ts';

const env = parsePollSubagentEnv(process.env);
const ports = createPollPorts(env, parseAwsServices(process.env));
const poller = createStatusPoller({ agents, config: env.DEPLOYMENT_CONFIG, ports });

/** One round of the status poller. What it throws is tried again by the state machine. */
export async function handler(event: unknown, context: Context): Promise<PollRound> {
  return poller.poll(parsePollRound(event), { deadline: ports.clock.now() + context.getRemainingTimeInMillis() });
}
