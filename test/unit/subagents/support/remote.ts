import { AsyncSubagentSetup, type RunStatus, type SubagentResult } from 'lambda-agents';

const unforeseen = (): never => {
  throw new Error('The test did not foresee that the real class is used. Script the sub-agent.');
};

/** Stands for the classes of sub-agents that a test scripts. */
export class Remote extends AsyncSubagentSetup {
  async callSubmitRequest(): Promise<void> {
    unforeseen();
  }
  async callQueryStatus(): Promise<RunStatus> {
    return unforeseen();
  }
  async callFetchResult(): Promise<SubagentResult<string>> {
    return unforeseen();
  }
}
