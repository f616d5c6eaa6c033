import { createHash } from 'node:crypto';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Poller, PollRound, PollScheduler } from '../ports/poll-scheduler.ts';

export interface SfnPollSchedulerOptions {
  /** Loaded and made at the first use. */
  readonly client: () => Promise<SFNClient>;
  readonly stateMachineArn: string;
}

/** Runs the status poller as a Standard state machine. */
export class SfnPollScheduler implements PollScheduler {
  readonly #client: () => Promise<SFNClient>;
  readonly #stateMachineArn: string;

  constructor({ client, stateMachineArn }: SfnPollSchedulerOptions) {
    this.#client = client;
    this.#stateMachineArn = stateMachineArn;
  }

  /** Name and input depend on the poller alone, so that a repeated start is answered with the execution that is open. */
  async start(poller: Poller): Promise<'polling' | 'closed'> {
    const [client, { StartExecutionCommand }] = await Promise.all([this.#client(), import('@aws-sdk/client-sfn')]);
    const name = executionName(poller);
    const input = JSON.stringify(firstRound(poller));
    try {
      await client.send(new StartExecutionCommand({ stateMachineArn: this.#stateMachineArn, name, input }));
      return 'polling';
    } catch (error) {
      // Equal names have equal input, so this is never an open execution.
      if (error instanceof Error && error.name === 'ExecutionAlreadyExists') return 'closed';
      throw error;
    }
  }
}

/** Step Functions keeps a name for 90 days: a run id that is used again has another `ttl`. */
const executionName = ({ runId, ttl, intervalMillis, generation }: Poller): string =>
  createHash('sha256')
    .update(JSON.stringify([runId, ttl, intervalMillis, generation]))
    .digest('hex')
    .slice(0, 40);

const firstRound = ({ runId, ttl, intervalMillis, generation }: Poller): PollRound => ({
  runId,
  ttl,
  intervalMillis,
  generation,
  round: 0,
  notBefore: 0,
  waitSeconds: Math.floor(intervalMillis / 1_000),
  done: false,
});
