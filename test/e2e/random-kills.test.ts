import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IS_LONG, KILLS, SEED } from './support/effort.ts';
import { Random } from './support/random.ts';
import { AGENT, LEASE_MILLIS, readDiff, startTestApp, SWEEP_MILLIS, type TestApp } from './support/test-app.ts';
import { traceOf } from './support/trace-lines.ts';

const DIFFS = ['sample', 'debug-output', 'crlf', 'combined-merge', 'deletions-only'];
// Some requests have none.
const KEYS = ['', '', '', 'a', 'b', 'c', 'd', 'schlüssel'];
const IN_FLIGHT = 16;
const SLOWEST_TICKET_MILLIS = 400;
const BUSY = { timeout: 20_000, interval: 10 };
// Woken runs wait for one of few processes, each of which may have to start first.
const QUEUEING_MILLIS = 6_000;
const TAIL_MILLIS = 60_000;

interface Request {
  readonly requestId: string;
  readonly agent: string;
  readonly key?: string;
  readonly input: { readonly diff: string };
}

interface Kill {
  readonly at: number;
  /** Runs that the process was driving. */
  readonly runIds: readonly string[];
}

const random = new Random(SEED);
const sent: Request[] = [];
const posts: string[] = [];
let directory = '';
let app: TestApp;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'random-kills-'));
  app = await startTestApp({
    overrides: { maxWorkersPerFunction: 4, visibilityTimeoutSeconds: 3 },
    // One run may be unlucky many times in a row.
    config: { 'run.max-attempts': 50 },
    tickets: { file: join(directory, 'tickets.jsonl') },
    beforeTickets: {
      beforeRequest({ method, headers }) {
        if (method === 'POST') posts.push(headers['idempotency-key'] ?? '');
        return true;
      },
      beforeAnswer: () => pause(random.integer(0, SLOWEST_TICKET_MILLIS), true),
    },
  });
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const nameOf = ({ input }: Request) => DIFFS.find((name) => readDiff(name) === input.diff) ?? '';
const groupOf = ({ key, requestId }: Request) => key ?? requestId;
const deliver = (request: Request) => app.send(request, { group: groupOf(request) });

function newRequest(): Request {
  const key = random.pick(KEYS);
  const request = {
    requestId: `run-${sent.length}`,
    agent: AGENT,
    ...(key === '' ? {} : { key }),
    input: { diff: readDiff(random.pick(DIFFS)) },
  };
  sent.push(request);
  return request;
}

const ended = () => new Set(app.outputs.messages.map(({ text }) => JSON.parse(text)).filter(({ status }) => status).map(({ requestId }) => requestId));

/** Keeps many runs in flight. Some messages are doubled, some sent again much later. */
async function keepSending(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (sent.length - ended().size < IN_FLIGHT) {
      const request = newRequest();
      await deliver(request);
      if (random.next() < 0.2) await deliver(request);
      if (random.next() < 0.1) await deliver(random.pick(sent));
    }
    await pause(random.integer(5, 40));
  }
}

/** Runs that the process began to drive and did not end. */
function drivenBy(pid: number): readonly string[] {
  const last = traceOf(app.stack).findLast((line) => line.pid === pid && line.entity_type === 'run');
  return last?.status === 'started' ? [last.run_id] : [];
}

/** A process to kill, at a random moment of what it does. */
async function findVictim(): Promise<number | undefined> {
  const chance = random.next();
  const pick = (name: string, suits: (pid: number) => boolean = () => true): number | undefined => {
    const pids = app.stack.workerPids(name).filter(suits);
    return pids.length === 0 ? undefined : random.pick(pids);
  };
  if (chance < 0.6) {
    const pid = await vi.waitFor(() => found(pick('run-agent', (busy) => drivenBy(busy).length > 0)), BUSY);
    await pause(random.integer(0, SLOWEST_TICKET_MILLIS));
    return pid;
  }
  if (chance < 0.75) return pick('run-agent');
  if (chance > 0.95) return pick('sweep-runs');
  // It is at work for milliseconds only: a message now makes it likely that it is hit then.
  await deliver(newRequest());
  await pause(random.integer(0, 25));
  return pick('accept-requests');
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('No process is at work.');
  return value;
}

async function killAtRandom(): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  while (kills.length < KILLS) {
    await pause(random.integer(20, 200));
    const pid = await findVictim();
    if (pid === undefined || !isAlive(pid)) continue;
    kills.push({ at: Date.now(), runIds: drivenBy(pid) });
    process.kill(pid, 'SIGKILL');
  }
  return kills;
}

/** Whether it is a process of ours still: one that ended may have left its number to another. */
const isAlive = (pid: number): boolean => app.stack.functionNames.some((name) => app.stack.workerPids(name).includes(pid));

/** The answers of the same requests when nobody is killed, without their tickets. */
async function controlOutputs(): Promise<ReadonlyMap<string, object>> {
  const outputs = DIFFS.map(async (name) => {
    await app.send({ requestId: `control-${name}`, agent: AGENT, input: { diff: readDiff(name) } });
    const { ticket: _, ...output } = Object((await app.answer(`control-${name}`)).outputs[0]);
    return [name, output] as const;
  });
  return new Map(await Promise.all(outputs));
}

it(`answers every request once and opens each ticket once under ${KILLS} random kills (SEED=${SEED} repeats their choice)`, async () => {
  const expected = await controlOutputs();
  posts.length = 0;
  let over = false;
  const sending = keepSending(() => over);
  const kills = await killAtRandom().finally(() => {
    over = true;
  });
  await sending;
  // A key that was given to a run which nobody told of it is looked at after a minute; the long version waits for that.
  const sweeping = IS_LONG ? undefined : setInterval(() => void app.sweepAhead(), SWEEP_MILLIS);
  await vi.waitFor(() => expect(sent.filter(({ requestId }) => !ended().has(requestId))).toEqual([]), { timeout: TAIL_MILLIS * (IS_LONG ? 3 : 1), interval: 200 });
  clearInterval(sweeping);

  const crashed = app.stack.invocations.filter(({ outcome }) => outcome === 'crashed').length;
  console.log(`SEED=${SEED}: ${kills.length} kills, ${crashed} of them in the middle of an invocation; ${sent.length} runs.`);
  expect(crashed).toBeGreaterThan(kills.length / 3);

  const stored = readFileSync(join(directory, 'tickets.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const ticketOf = (id: string) => stored.filter(({ key }) => key === id).map((t) => `${app.tickets.url}/tickets/${t.id}`);
  const answers = await Promise.all(sent.map(({ requestId }) => app.answer(requestId)));
  expect(sent.map(({ requestId }, index) => [requestId, answers[index]?.messages])).toEqual(
    sent.map((request) => {
      const { requestId, agent, key } = request;
      const about = { requestId, agent, ...(key === undefined ? {} : { key }) };
      const [ticket, ...more] = ticketOf(requestId);
      expect(more).toEqual([]);
      const output = { ...expected.get(nameOf(request)), ...(ticket === undefined ? {} : { ticket }) };
      return [requestId, [{ ...about, eventId: expect.any(String), output }, { ...about, status: 'COMPLETED' }]];
    }),
  );
  const withFindings = sent.filter((request) => nameOf(request) !== 'deletions-only').map(({ requestId }) => requestId);
  expect(stored.map(({ key }) => key).filter((key) => !key.startsWith('control-')).toSorted()).toEqual(withFindings.toSorted());
  expect(posts.toSorted()).toEqual(withFindings.toSorted());
  expect(app.refusals.messages).toEqual([]);

  const order = app.outputs.messages.map(({ text }) => JSON.parse(text)).filter(({ status }) => status);
  for (const key of new Set(KEYS.filter((name) => name !== ''))) {
    const ids = sent.filter((request) => request.key === key).map(({ requestId }) => requestId);
    expect(order.filter((end) => end.key === key).map(({ requestId }) => requestId)).toEqual(ids);
  }

  const starts = traceOf(app.stack).filter(({ entity_type, status }) => entity_type === 'run' && status === 'started');
  const delays = kills.flatMap(({ at, runIds }) => {
    const again = starts.find(({ run_id, timestamp }) => runIds.includes(run_id) && Date.parse(timestamp) > at);
    return again === undefined ? [] : [Date.parse(again.timestamp) - at];
  });
  console.log(delays.sort((a, b) => a - b).join(' '));
  expect(delays.length).toBeGreaterThan(kills.length / 5);
  expect(Math.max(...delays)).toBeLessThan(LEASE_MILLIS + SWEEP_MILLIS + QUEUEING_MILLIS);
}, 600_000);
