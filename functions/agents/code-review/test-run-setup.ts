import { AsyncSubagentSetup, RunStatus, type SubagentCall, SubagentResult } from 'lambda-agents';
import * as z from 'zod';
import { serviceUrl } from '../remote/service-url.ts';
import { JobClient, TestRunnerError } from './job-client.ts';

/** What is tested. */
export const testRunPrompt = z.object({ diff: z.string() });

/** Runs the checks of a test runner on a diff, which takes it seconds. */
export class TestRunSetup extends AsyncSubagentSetup {
  async callSubmitRequest({ prompt, key }: SubagentCall) {
    await client().start(key, testRunPrompt.parse(prompt).diff);
  }

  async callQueryStatus({ key }: SubagentCall) {
    const job = await client().find(key);
    switch (job?.status) {
      case undefined:
        return RunStatus.notStarted();
      case 'running':
        return RunStatus.running();
      case 'completed':
        return RunStatus.completed();
      case 'cancelled':
        return RunStatus.failed('The job was cancelled.');
    }
  }

  async callFetchResult({ key }: SubagentCall) {
    return SubagentResult.ok(await client().report(key));
  }

  override async callCancelRequest({ key }: SubagentCall) {
    await client().stop(key);
  }
}

// Read at each call: the module is also loaded where plans are compiled, without the function's environment.
function client(): JobClient {
  const fail = (message: string) => new TestRunnerError(message);
  return new JobClient({ baseUrl: serviceUrl(process.env, 'TEST_RUNNER_URL', 'test runner', fail) });
}
