import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PassingRequest } from './support/proxy.ts';
import { REVIEW, startTestApp, type TestApp } from './support/test-app.ts';
import { traceOf } from './support/trace-lines.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };

/** A moment in the life of a call at which a process is killed. */
type Moment =
  /** The test runner does not have the request yet; it has it and the driver does not know. */
  | 'POST request'
  | 'POST answer'
  /** Everybody is idle. */
  | 'suspended'
  /** A probe is on its way; the result is, and is not recorded. */
  | 'status request'
  | 'result answer'
  /** The answer is recorded, and nobody is woken. */
  | 'wake request';

let app: TestApp;
/** Runs by their request ids: where a process is still to be killed for them. */
const moments = new Map<string, Moment>();
const killed: Moment[] = [];
/** Which run a job is of, by the keys that the test runner sees. */
const runOfKey = new Map<string, string>();

/** A diff that names its run. */
const diffOf = (requestId: string): string =>
  ['--- a/notes.md', '+++ b/notes.md', '@@ -1 +1,2 @@', ' Notes', `+about ${requestId}.`, ''].join('\n');
const REPORT = '6 checks passed, 0 failed';

function strike(requestId: string, moment: Moment, functionName: string): boolean {
  if (moments.get(requestId) !== moment) return true;
  moments.delete(requestId);
  killed.push(moment);
  app.killAll(functionName);
  return false;
}

function jobRequest({ method, path, headers, body }: PassingRequest, at: 'request' | 'answer'): boolean {
  if (method === 'POST') {
    const requestId = /about ([a-z-]+)\./.exec(body)?.[1] ?? '';
    runOfKey.set(headers['idempotency-key'] ?? '', requestId);
    return strike(requestId, `POST ${at}`, 'run-agent');
  }
  const key = new URL(path, 'http://jobs').searchParams.get('key');
  if (key !== null) return at === 'answer' || strike(runOfKey.get(key) ?? '', 'status request', 'poll-subagent');
  const job = app.jobs.jobs().find(({ id }) => path === `/jobs/${id}/result`);
  return at === 'request' || strike(runOfKey.get(job?.key ?? '') ?? '', 'result answer', 'poll-subagent');
}

function wakeRequest({ headers, body }: PassingRequest): boolean {
  if (!headers['x-amz-target']?.endsWith('.SendMessage') || !body.includes('answer')) return true;
  const requestId = [...moments.keys()].find((id) => body.includes(`\\"${id}\\"`));
  return strike(requestId ?? '', 'wake request', 'poll-subagent');
}

beforeAll(async () => {
  app = await startTestApp({
    overrides: { maxWorkersPerFunction: 1, visibilityTimeoutSeconds: 2 },
    config: { 'run.max-attempts': 50, 'subagent.poll-check-millis': 5_000 },
    beforeJobs: {
      beforeRequest: (request) => jobRequest(request, 'request'),
      beforeAnswer: (request) => jobRequest(request, 'answer'),
    },
    beforeAws: { beforeRequest: wakeRequest },
  });
});
afterAll(() => app.close());

const running = () => app.stack.executions().filter(({ status }) => status === 'RUNNING');
const recordsOf = (requestId: string, status: string) =>
  traceOf(app.log, requestId).filter((line) => line.entity_type === 'run' && line.status === status);

describe('a run that waits for a remote job', () => {
  it.each<[string, Moment]>([
    ['before-post', 'POST request'],
    ['after-post', 'POST answer'],
    ['while-suspended', 'suspended'],
    ['mid-poll', 'status request'],
    ['after-fetch', 'result answer'],
    ['before-wake', 'wake request'],
  ])(
    'answers as without a kill, with one job: %s',
    async (requestId, moment) => {
      moments.set(requestId, moment);
      await app.send({ requestId, agent: REVIEW, input: { diff: diffOf(requestId) } });
      if (moment === 'suspended') {
        await vi.waitFor(() => expect(recordsOf(requestId, 'suspended')).toHaveLength(1), PATIENCE);
        moments.delete(requestId);
        killed.push(moment);
        for (const name of app.stack.functionNames) app.killAll(name);
      }
      if (moment === 'wake request') {
        await vi.waitFor(() => expect(killed).toContain(moment), PATIENCE);
        await app.sweepAhead();
      }
      const answer = await app.answer(requestId, 60_000);
      expect(killed).toContain(moment);
      expect(answer).toMatchObject({ status: 'COMPLETED', outputs: [{ tests: REPORT }] });
      expect(app.jobs.jobs().filter(({ diff }) => diff === diffOf(requestId))).toHaveLength(1);
      expect(app.ticketsOf(requestId)).toHaveLength(1);
    },
    90_000,
  );

  it('uses no invocation of run-agent meanwhile, and few of the poller', async () => {
    const requestId = 'nobody-is-killed';
    await app.send({ requestId, agent: REVIEW, input: { diff: diffOf(requestId) } });
    expect(await app.answer(requestId)).toMatchObject({ status: 'COMPLETED' });
    const [suspended] = recordsOf(requestId, 'suspended');
    const [, resumed] = recordsOf(requestId, 'started');
    const [from, to] = [suspended, resumed].map((line) => Date.parse(line?.timestamp ?? ''));
    if (from === undefined || to === undefined) throw new Error('The run was not suspended.');
    expect(to - from).toBeGreaterThan(500);
    await vi.waitFor(() => expect(running()).toEqual([]), PATIENCE);
    const within = app.stack.invocations.filter(({ startedAt, endedAt }) => endedAt > from && startedAt < to);
    const driving = within.filter(({ functionName }) => functionName === 'run-agent');
    // The one that suspends the run ends, and the one that resumes it begins, some milliseconds apart from its record.
    for (const { startedAt, endedAt } of driving)
      expect(startedAt < from ? endedAt - from : to - startedAt).toBeLessThan(400);
    const polling = within.filter(({ functionName }) => functionName === 'poll-subagent');
    expect(polling.length).toBeGreaterThan(0);
    expect(polling.length).toBeLessThanOrEqual((to - from) / 10_000 + 2);
  }, 60_000);

  it('shares one execution of the poller, which ends', async () => {
    await vi.waitFor(() => expect(running()).toEqual([]), PATIENCE);
    const last = app.stack.executions().at(-1);
    // Wait, Task and Choice for each round, and the end.
    expect(last).toMatchObject({ status: 'SUCCEEDED' });
    expect((last?.transitions ?? 0) % 3).toBe(1);
    expect(last?.transitions).toBeLessThanOrEqual(3 * 3 + 1);
  }, 60_000);
});
