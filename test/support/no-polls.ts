import type { PollScheduler } from '../../lib/ports/poll-scheduler.ts';

/** For tests without sub-agents: a poller that nobody foresaw. */
export const noPolls: PollScheduler = {
  start: async () => {
    throw new Error('The test did not foresee that anything is polled.');
  },
};
