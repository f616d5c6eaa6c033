import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PassingRequest } from './support/proxy.ts';
import { AGENT, LEASE_MILLIS, readDiff, SWEEP_MILLIS, startTestApp, type TestApp } from './support/test-app.ts';
import { type TraceLine, traceOf } from './support/trace-lines.ts';

// For the sweep itself and the way of its wake, on a machine that may be busy.
const SLACK_MILLIS = 1_000;
// For what takes milliseconds unless the machine is very busy.
const PATIENCE = { timeout: 10_000 };
const input = { diff: readDiff('sample') };

/** Where the process of a run is to be killed: before the service has the request, or before the process has the answer. */
type Moment = `${'GET' | 'POST'} ${'request' | 'answer'}`;

/** What one run asked of the ticket service, and how it fared. */
class Subject {
  readonly asked: string[] = [];
  readonly killedAt: number[] = [];
  readonly moments: Moment[];

  constructor(moments: readonly Moment[]) {
    this.moments = [...moments];
  }
}

let app: TestApp;
const subjects = new Map<string, Subject>();

function runIdOf({ path, headers }: PassingRequest): string {
  const key = headers['idempotency-key'] ?? new URL(path, 'http://tickets').searchParams.get('key') ?? '';
  return decodeURIComponent(key);
}

const drivesOf = (requestId: string) =>
  traceOf(app.log, requestId).filter(({ entity_type, status }) => entity_type === 'run' && status === 'started');

/** The invocation that a drive was part of. */
const invocationOf = ({ pid, timestamp }: TraceLine) =>
  vi.waitFor(() => {
    const at = Date.parse(timestamp);
    return found(app.stack.invocations.find((one) => one.pid === pid && one.startedAt <= at && at <= one.endedAt));
  }, PATIENCE);

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not there.');
  return value;
}

async function passes(request: PassingRequest, at: 'request' | 'answer'): Promise<boolean> {
  const runId = runIdOf(request);
  const subject = subjects.get(runId);
  if (at === 'request') subject?.asked.push(request.method);
  if (subject?.moments[0] !== `${request.method} ${at}`) return true;
  subject.moments.shift();
  // The drive told of itself before it asked for anything, but by another way.
  const kills = subject.killedAt.length;
  const { pid } = await vi.waitFor(() => found(drivesOf(runId)[kills]), PATIENCE);
  process.kill(pid, 'SIGKILL');
  subject.killedAt.push(Date.now());
  return false;
}

beforeAll(async () => {
  // Queues keep their visibility timeouts of minutes: only lease and sweep can bring a killed run back.
  app = await startTestApp({
    beforeTickets: {
      beforeRequest: (request) => passes(request, 'request'),
      beforeAnswer: (request) => passes(request, 'answer'),
    },
  });
});
afterAll(() => app.close());

describe('a run whose process is killed', () => {
  it.concurrent.each<[string, string, readonly Moment[], readonly string[]]>([
    ['before its request was sent on', 'not-sent', ['POST request'], ['POST', 'GET', 'POST']],
    ['when its ticket was stored and not answered', 'not-answered', ['POST answer'], ['POST', 'GET']],
    [
      'there, and again while it asks what became of it',
      'twice',
      ['POST answer', 'GET answer'],
      ['POST', 'GET', 'GET'],
    ],
    [
      'twice before anything was stored',
      'unlucky',
      ['POST request', 'POST request'],
      ['POST', 'GET', 'POST', 'GET', 'POST'],
    ],
  ])('%s, is driven again after lease and sweep and opens one ticket', async (_when, requestId, moments, asked) => {
    const subject = new Subject(moments);
    subjects.set(requestId, subject);
    await app.send({ requestId, agent: AGENT, key: requestId, input });
    const answer = await app.answer(requestId);
    expect(subject.asked).toEqual(asked);
    const [ticket, ...more] = app.ticketsOf(requestId);
    expect(more).toEqual([]);
    expect(answer).toMatchObject({
      status: 'COMPLETED',
      outputs: [{ ticket: `${app.tickets.url}/tickets/${ticket?.id}` }],
    });
    const drives = drivesOf(requestId);
    expect(drives.map(({ entity_metadata }) => entity_metadata.epoch)).toEqual([1, ...moments.map((_, n) => n + 2)]);
    const invoked = await Promise.all(drives.slice(1).map(invocationOf));
    const delays = invoked.map(({ startedAt }, n) => startedAt - (subject.killedAt[n] ?? 0));
    expect(delays.filter((delay) => delay > LEASE_MILLIS + SWEEP_MILLIS + SLACK_MILLIS)).toEqual([]);
  });
});

describe('the log of run-agent', () => {
  const lines = () => traceOf(app.log, 'not-answered');
  const named = (name: string) => lines().filter(({ entity_name }) => entity_name === name);
  const statuses = (name: string) => named(name).map(({ status }) => status);

  it('has one JSON record per line and nothing else of a healthy function', () => {
    const written = app.log.filter(
      ({ functionName, text }) => functionName === 'run-agent' && !text.includes('"platform.runtimeDone"'),
    );
    expect(written.length).toBeGreaterThan(30);
    for (const { text } of written) expect(JSON.parse(text)).toMatchObject({ record: 'trace', agent_name: AGENT });
  });

  it('says what a second drive reused and what it did', () => {
    expect(statuses(AGENT)).toEqual(['started', 'started', 'success']);
    expect(statuses('_input_event')).toEqual(['created', 'reused']);
    expect(statuses('parse')).toEqual(['started', 'success', 'reused']);
    expect(statuses('inspect')).toEqual(['started', 'success', 'reused']);
    expect(statuses('report')).toEqual(['started', 'started', 'success']);
    expect(statuses('diff.parsed')).toEqual(['created', 'reused']);
    expect(statuses('open-ticket')).toEqual(['started', 'started', 'success']);
    expect(statuses('_output_event')).toEqual(['created']);
    expect(lines().map(({ business_key }) => business_key)).toEqual(lines().map(() => 'not-answered'));
  });

  it('gives a record that was repeated the ids of the first time', () => {
    for (const name of ['_input_event', 'parse', 'inspect', 'diff.parsed', 'diff.inspected', 'report', 'open-ticket']) {
      expect(new Set(named(name).map(({ execution_id }) => execution_id)).size).toBe(1);
    }
  });

  it('leads from the output back to the input', () => {
    const last = (name: string): TraceLine | undefined => named(name).at(-1);
    const chain = ['_input_event', 'parse', 'diff.parsed', 'inspect', 'diff.inspected', 'report', '_output_event'].map(
      last,
    );
    chain.slice(1).forEach((line, index) => {
      const before = chain[index];
      if (line?.entity_type === 'action') expect(line.entity_metadata.trigger_event_id).toBe(before?.execution_id);
      else {
        expect(line?.parent_execution_id).toBe(before?.execution_id);
        expect(line?.entity_metadata.upstream_action_name).toBe(before?.entity_name);
        expect(line?.entity_metadata.upstream_event_id).toBe(chain[index - 1]?.execution_id);
      }
    });
    expect(last('open-ticket')?.parent_execution_id).toBe(last('report')?.execution_id);
    expect(last('report')?.parent_execution_id).toBe(last('inspect')?.execution_id);
  });
});
