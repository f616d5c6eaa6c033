import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AnswerResult, awaitAnswer, type FirstRequest, sendRequest } from '../../lib/local/first-request.ts';
import { type LocalStack, startLocalStack } from '../../lib/local/local-stack.ts';
import { synthesize } from '../../lib/local/synthesize.ts';
import { startTicketService, type TicketService } from '../../scripts/services/ticket-service.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const RUN_AGENT = 'run-agent';

let assemblyDirectory = '';
let diff = '';
beforeAll(async () => {
  assemblyDirectory = await mkdtemp(join(tmpdir(), 'local-stack-app-'));
  diff = await readFile(join(PROJECT, 'functions/agents/diff-report/sample.diff'), 'utf8');
  await synthesize({ projectDirectory: PROJECT, outputDirectory: assemblyDirectory });
});
afterAll(() => rm(assemblyDirectory, { recursive: true }));

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Started {
  readonly stack: LocalStack;
  readonly tickets: TicketService;
  ask(request: FirstRequest): Promise<AnswerResult>;
}

/** The app with a short lease and a quick sweep, so that a killed run is driven again soon. */
async function start(beforeAnswer: (stack: LocalStack) => void = () => {}): Promise<Started> {
  const running: { stack?: LocalStack } = {};
  const tickets = await startTicketService({
    beforeAnswer: () => {
      if (running.stack !== undefined) beforeAnswer(running.stack);
    },
  });
  cleanups.push(() => tickets.close());
  const stack = await startLocalStack({
    assemblyDirectory,
    environment: {
      TICKET_SERVICE_URL: tickets.url,
      DEPLOYMENT_CONFIG: JSON.stringify({ 'run.lease-millis': 2_000 }),
    },
    overrides: { sweepIntervalMillis: 500 },
  });
  running.stack = stack;
  cleanups.push(() => stack.close());
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const sqs = new SQSClient({ region: stack.region, endpoint: stack.endpoints.sqs, credentials });
  cleanups.push(async () => sqs.destroy());
  const { RequestQueueUrl = '', OutputQueueUrl = '', DeadLetterQueueUrl = '' } = stack.outputs;
  return {
    stack,
    tickets,
    async ask(request) {
      await sendRequest(sqs, RequestQueueUrl, request);
      return awaitAnswer({
        sqs,
        outputQueueUrl: OutputQueueUrl,
        deadLetterQueueUrl: DeadLetterQueueUrl,
        requestId: request.requestId,
        timeoutMillis: 30_000,
      });
    },
  };
}

describe('the deployed app on this machine', () => {
  it('answers one request after another', async () => {
    const { ask } = await start();
    const millis: number[] = [];
    for (const requestId of ['cold', 'warm-1', 'warm-2', 'warm-3']) {
      const askedAt = Date.now();
      expect(await ask({ requestId, agent: 'diff_report', input: { diff } })).toMatchObject({ status: 'COMPLETED' });
      millis.push(Date.now() - askedAt);
    }
    console.log(`A cold answer and three warm ones took ${millis.join(', ')} ms`);
  });

  it('finishes a run whose process was killed between a side effect and its record, and repeats nothing', async () => {
    const killed: number[] = [];
    const { ask, tickets, stack } = await start(({ workerPids }) => {
      if (killed.length > 0) return;
      killed.push(...workerPids(RUN_AGENT));
      for (const pid of killed) process.kill(pid, 'SIGKILL');
    });
    const answer = await ask({ requestId: 'killed', agent: 'diff_report', input: { diff } });
    expect(tickets.tickets()).toHaveLength(1);
    expect(answer).toMatchObject({
      kind: 'ended',
      status: 'COMPLETED',
      outputs: [{ ticket: `${tickets.url}/tickets/${tickets.tickets()[0]?.id}` }],
    });
    const drives = () => stack.invocations.filter(({ functionName }) => functionName === RUN_AGENT);
    // The answer is sent before the invocation ends; a sweep in between may have woken the run once more.
    await vi.waitFor(() => expect(drives()[1]?.outcome).toBe('succeeded'));
    expect(drives()[0]?.outcome).toBe('crashed');
    expect(killed).not.toContain(drives()[1]?.pid);
  });

  it('says why a request was refused', async () => {
    const { ask } = await start();
    const answer = await ask({ requestId: 'unknown', agent: 'no_such_agent', input: {} });
    expect(answer).toMatchObject({ kind: 'refused', reason: 'UNKNOWN_AGENT' });
  });
});
