import { AgentError } from '../errors/agent-error.ts';
import type { PollEntry } from '../store/poll-records.ts';
import type { AsyncSubagentSetup } from '../subagents/async-subagent-setup.ts';
import type { PolledRun } from './poll-ports.ts';

/** The setup that follows a call, as it is deployed now. @throws AgentError `UNKNOWN_RESOURCE` */
export function setupOf({ plans }: PolledRun, { agent, subagent }: PollEntry): AsyncSubagentSetup {
  const planned = plans.get(agent)?.subagents.get(subagent);
  if (planned) return planned.setup();
  throw new AgentError(
    'UNKNOWN_RESOURCE',
    `Agent "${agent}" has no sub-agent "${subagent}" any more. Deploy it again, or redrive the run with code that does without.`,
  );
}
