import type { ConfigInput } from '../agent/config.ts';
import type { AgentDefinition } from '../agent/define-agent.ts';
import { compilePlans, type PlanSet } from '../agent/plan.ts';
import type { PollRound } from '../ports/poll-scheduler.ts';
import type { PollPorts } from './poll-ports.ts';
import { pollRound } from './poll-round.ts';

/** Time of an invocation: milliseconds since 1970. */
interface Invocation {
  readonly deadline: number;
}

export interface StatusPoller {
  /** Makes one round and says what the next one is to know. @throws what the store or a queue threw: the round is to be repeated */
  poll(round: PollRound, invocation: Invocation): Promise<PollRound>;
}

/** @throws AgentError when a plan or the configuration is not valid */
export function createStatusPoller(options: {
  readonly agents: readonly AgentDefinition[];
  /** Deployment defaults. */
  readonly config?: ConfigInput;
  readonly ports: PollPorts;
}): StatusPoller {
  const { agents, config, ports } = options;
  const plans: PlanSet = compilePlans(agents, config);
  return { poll: (round, { deadline }) => pollRound({ plans, ports, deadline }, round) };
}
