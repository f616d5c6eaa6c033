import { RunStatus, type SubagentCall, SubagentResult } from 'lambda-agents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestRunSetup } from '../../../functions/agents/code-review/test-run-setup.ts';
import { type JobService, type JobServiceOptions, startJobService } from '../../../scripts/services/job-service.ts';
import { changeEnvironment, restoreEnvironment } from './support/environment.ts';

const setup = new TestRunSetup(undefined);
const call: SubagentCall = {
  prompt: { diff: '' },
  sessionId: 's',
  callId: 'c',
  key: 's#c',
  completion: { requestId: 'run-1', name: 'subagent#c', token: 't' },
};
const REPORT = '6 checks passed, 0 failed';

let service: JobService | undefined;
async function start(options: JobServiceOptions = {}): Promise<JobService> {
  service = await startJobService(options);
  changeEnvironment({ TEST_RUNNER_URL: service.url });
  return service;
}

beforeEach(() => changeEnvironment({ TEST_RUNNER_URL: undefined }));
afterEach(async () => {
  restoreEnvironment();
  await service?.close();
  service = undefined;
});

describe('TestRunSetup', () => {
  it('follows a job from its submission to its report', async () => {
    let now = 0;
    const { jobs } = await start({ now: () => now, jobMillis: 1_000 });
    expect(await setup.callQueryStatus(call)).toEqual(RunStatus.notStarted());
    await setup.callSubmitRequest(call);
    expect(jobs()).toMatchObject([{ key: 's%23c', diff: '' }]);
    expect(await setup.callQueryStatus(call)).toEqual(RunStatus.running());
    await expect(setup.callFetchResult(call)).rejects.toThrow(/answered 409/);
    now = 1_000;
    expect(await setup.callQueryStatus(call)).toEqual(RunStatus.completed());
    expect(await setup.callFetchResult(call)).toEqual(SubagentResult.ok(REPORT));
  });

  it('submits again what did not arrive, and nothing that did', async () => {
    let isLost = true;
    const { jobs } = await start({
      beforeWork: ({ method }) => {
        if (method === 'POST' && isLost) throw new Error('The request is lost.');
      },
    });
    await expect(setup.callSubmitRequest(call)).rejects.toThrow(/cannot be reached/);
    isLost = false;
    await setup.reconcileSubmitRequest(call);
    await setup.reconcileSubmitRequest(call);
    expect(jobs()).toHaveLength(1);
  });

  it('finds the job of a submission whose answer was lost', async () => {
    const posts: string[] = [];
    const { jobs } = await start({
      beforeWork: ({ method }) => void posts.push(method),
      beforeAnswer: ({ method }) => {
        if (method === 'POST') throw new Error('The answer is lost.');
        return undefined;
      },
    });
    await expect(setup.callSubmitRequest(call)).rejects.toThrow(/cannot be reached/);
    await setup.reconcileSubmitRequest(call);
    expect(jobs()).toHaveLength(1);
    expect(posts).toEqual(['POST', 'GET']);
  });

  it('stops a job, which then has failed; a second time and without a job nothing happens', async () => {
    await start({ jobMillis: 60_000 });
    await setup.callCancelRequest(call);
    await setup.callSubmitRequest(call);
    await setup.callCancelRequest(call);
    await setup.callCancelRequest(call);
    expect(await setup.callQueryStatus(call)).toEqual(RunStatus.failed('The job was cancelled.'));
  });

  it('takes an answer of another shape for a fault, not for a status', async () => {
    await start({ beforeAnswer: () => ({ status: 200, body: 'Welcome!' }) });
    await expect(setup.callQueryStatus(call)).rejects.toThrow(/something else than a test runner does/);
  });

  it('says what is missing when nobody told where the test runner is, or what to test', async () => {
    await expect(setup.callQueryStatus(call)).rejects.toThrow(/^TEST_RUNNER_URL is not set\. Set it to the base URL/);
    await start();
    await expect(setup.callSubmitRequest({ ...call, prompt: { text: '' } })).rejects.toThrow(/diff/);
  });
});
