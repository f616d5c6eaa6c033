import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { scripted, testRuntime } from 'lambda-agents/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeReview } from '../../../functions/agents/code-review.ts';
import { type JobService, type JobServiceOptions, startJobService } from '../../../scripts/services/job-service.ts';
import { startTicketService, type TicketService } from '../../../scripts/services/ticket-service.ts';
import { changeEnvironment, restoreEnvironment } from './support/environment.ts';

const sample = readFileSync(resolve(import.meta.dirname, '../../../functions/agents/code-review/sample.diff'), 'utf8');
const JOB_MILLIS = 3_000;

let tickets: TicketService;
let jobs: JobService | undefined;

beforeEach(async () => {
  tickets = await startTicketService();
  changeEnvironment({ TICKET_SERVICE_URL: tickets.url, TEST_RUNNER_URL: undefined });
});
afterEach(async () => {
  restoreEnvironment();
  await Promise.all([tickets.close(), jobs?.close()]);
  jobs = undefined;
});

/** The agent with the real services, whose jobs take their time on the simulated clock. */
async function withTestRunner(options: JobServiceOptions = {}) {
  const runtime = testRuntime([codeReview]);
  jobs = await startJobService({ now: () => runtime.deployment.clock.now(), jobMillis: JOB_MILLIS, ...options });
  changeEnvironment({ TEST_RUNNER_URL: jobs.url });
  const review = () => runtime.run('code_review', { diff: sample }, { requestId: 'run-1' });
  return { runtime, jobs, review };
}

describe('code_review', () => {
  it('sends what the tests said, with a ticket of it', async () => {
    const runtime = testRuntime([codeReview], { subagents: { test_runner: scripted.completesAfter(3, 'green') } });
    const result = await runtime.run('code_review', { diff: sample }, { requestId: 'run-1' });
    const [ticket] = tickets.tickets();
    expect(ticket).toMatchObject({ key: 'run-1', title: 'Code review: green', body: 'green' });
    expect(result).toMatchObject({
      status: 'COMPLETED',
      outputs: [{ tests: 'green', ticket: `${tickets.url}/tickets/${ticket?.id}` }],
    });
    expect(runtime.services.get('test_runner')?.jobs.map(({ call }) => call.prompt)).toEqual([{ diff: sample }]);
  });

  it('opens a ticket too when the tests did not run', async () => {
    const runtime = testRuntime([codeReview], { subagents: { test_runner: scripted.failsAfter(1, 'no disk left') } });
    const tests = 'The tests did not run: no disk left';
    expect(await runtime.run('code_review', { diff: sample })).toMatchObject({ outputs: [{ tests }] });
    expect(tickets.tickets()).toMatchObject([{ title: `Code review: ${tests}`, body: tests }]);
  });

  it('gives a test runner that never ends ten minutes', async () => {
    const runtime = testRuntime([codeReview], { subagents: { test_runner: scripted.neverEnds() } });
    const result = await runtime.run('code_review', { diff: sample });
    expect(result).toMatchObject({
      outputs: [{ tests: expect.stringMatching(/^The tests did not run: .*600000 ms/) }],
    });
    expect(runtime.services.get('test_runner')?.jobs).toMatchObject([{ submissions: 1, cancellations: 1 }]);
  });

  it('refuses an empty diff before anything is tested', async () => {
    const { runtime, jobs } = await withTestRunner();
    expect(await runtime.run('code_review', { diff: '' })).toMatchObject({ status: 'REFUSED' });
    expect(jobs.jobs()).toEqual([]);
  });
});

describe('code_review with its services', () => {
  it('tests the sample with one job, suspended meanwhile, and says what failed', async () => {
    const { runtime, jobs, review } = await withTestRunner();
    const sentAt = runtime.deployment.clock.now();
    const result = await review();
    expect(result).toMatchObject({
      status: 'COMPLETED',
      outputs: [{ tests: expect.stringMatching(/^3 checks passed, 3 failed:\n- .*\n- .*\n- /) }],
    });
    expect(tickets.tickets()).toMatchObject([{ title: 'Code review: 3 checks passed, 3 failed' }]);
    expect(jobs.jobs()).toMatchObject([{ diff: sample }]);
    expect(runtime.deployment.clock.now() - sentAt).toBeGreaterThanOrEqual(JOB_MILLIS);
    const told = runtime.deployment.traces.filter(({ entity_type }) => entity_type === 'run');
    expect(told.map(({ status }) => status)).toEqual(['started', 'suspended', 'started', 'success']);
  });

  it('sends the job again when the test runner has lost it', async () => {
    let isLost = false;
    const { jobs, review } = await withTestRunner({
      beforeAnswer: ({ method }) => {
        if (method !== 'GET' || isLost) return undefined;
        isLost = true;
        jobs.forget('J-1');
        return undefined;
      },
    });
    expect(await review()).toMatchObject({
      status: 'COMPLETED',
      outputs: [{ tests: expect.stringContaining('3 failed') }],
    });
    expect(jobs.jobs()).toHaveLength(2);
    expect(new Set(jobs.jobs().map(({ key }) => key)).size).toBe(1);
    expect(tickets.tickets()).toHaveLength(1);
  });

  it.each<[string, JobServiceOptions['beforeAnswer']]>([
    ['a server error', () => ({ status: 500, body: {} })],
    ['a page of somebody else', () => ({ status: 200, body: '<html>' })],
    [
      'a lost answer',
      () => {
        throw new Error('The answer is lost.');
      },
    ],
  ])('goes on after %s to each kind of request', async (_what, misbehave) => {
    const met = new Set<string>();
    const { jobs, review } = await withTestRunner({
      beforeAnswer(request, answer) {
        const kind = `${request.method} ${request.path}`;
        if (met.has(kind)) return undefined;
        met.add(kind);
        return misbehave?.(request, answer);
      },
    });
    expect(await review()).toMatchObject({
      status: 'COMPLETED',
      outputs: [{ tests: expect.stringContaining('3 failed') }],
    });
    expect([...met].sort()).toEqual(['GET /jobs', 'GET /jobs/J-1/result', 'POST /jobs']);
    expect(jobs.jobs()).toHaveLength(1);
    expect(tickets.tickets()).toHaveLength(1);
  });

  it('survives every crash, with one job and one ticket for each run', async () => {
    jobs = await startJobService({ jobMillis: 0 });
    const service = jobs;
    changeEnvironment({ TEST_RUNNER_URL: service.url });
    const { crashes } = await testRuntime([codeReview]).survivesEveryCrash(
      'code_review',
      { diff: sample },
      // All runs have one id, hence the same keys: a second ticket, or a second job before the first is forgotten, would show.
      { requestId: 'run-1', prepare: () => service.forget(service.jobs().at(-1)?.id ?? '') },
    );
    expect(crashes).toBeGreaterThan(20);
    expect(service.jobs()).toHaveLength(crashes + 1);
    expect(tickets.tickets()).toHaveLength(1);
  });
});
