import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DUE_NEAR_MILLIS } from '../../lib/runner/retention.ts';
import { endsIn } from './support/answer.ts';
import { DriveWatch } from './support/drive-watch.ts';
import { IS_LONG, KILLS, SEED } from './support/effort.ts';
import { Random } from './support/random.ts';
import { LOAD_DIFFS, type LoadDiff, RandomLoad } from './support/random-load.ts';
import { AGENT, LEASE_MILLIS, readDiff, SWEEP_MILLIS, startTestApp, type TestApp } from './support/test-app.ts';

const IN_FLIGHT = 16;
const SLOWEST_TICKET_MILLIS = 400;
// A woken run waits for one of four processes, which may have to start first or be killed meanwhile.
const QUEUEING_MILLIS = 15_000;

interface Kill {
  readonly at: number;
  /** What the process was driving. */
  readonly runId: string | undefined;
}

const random = new Random(SEED);
/** Keys of all requests for a ticket, repeated ones included. */
const posts: string[] = [];
let directory = '';
let app: TestApp;
let watch: DriveWatch;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'random-kills-'));
  app = await startTestApp({
    overrides: { maxWorkersPerFunction: 4, visibilityTimeoutSeconds: 4 },
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
  watch = new DriveWatch(app.stack);
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

/** The answers to the same requests when nobody is killed, without their tickets. */
async function controlOutputs(): Promise<ReadonlyMap<LoadDiff, object>> {
  const outputs = LOAD_DIFFS.map(async (diff) => {
    const requestId = `control-${diff}`;
    await app.send({ requestId, agent: AGENT, input: { diff: readDiff(diff) } });
    const { ticket, ...output } = Object((await app.answer(requestId)).outputs[0]);
    expect(ticket !== undefined).toBe(diff !== 'deletions-only');
    return [diff, output] as const;
  });
  return new Map(await Promise.all(outputs));
}

function pickProcess(functionName: string, suits: (pid: number) => boolean = () => true): number | undefined {
  const pids = app.stack.workerPids(functionName).filter(suits);
  return pids.length === 0 ? undefined : random.pick(pids);
}

/** A process to kill, at a random moment of what it does. */
async function findVictim(load: RandomLoad): Promise<number | undefined> {
  const chance = random.next();
  if (chance < 0.05) return pickProcess('sweep-runs');
  if (chance < 0.2) return pickProcess('run-agent');
  if (chance < 0.4) {
    // It is at work for milliseconds only: a message now makes it likely that it is hit then.
    await load.sendNew();
    await pause(random.integer(0, 25));
    return pickProcess('accept-requests');
  }
  const busy = () => pickProcess('run-agent', (pid) => watch.drivenBy(pid) !== undefined);
  await vi.waitFor(() => expect(busy()).toBeDefined(), { timeout: 20_000, interval: 10 });
  const victim = busy();
  await pause(random.integer(0, SLOWEST_TICKET_MILLIS));
  return victim;
}

/** Whether it is one of our processes still: one that ended may have left its number to another. */
const isOurs = (pid: number): boolean =>
  app.stack.functionNames.some((name) => app.stack.workerPids(name).includes(pid));

async function killAtRandom(load: RandomLoad): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  while (kills.length < KILLS) {
    await pause(random.integer(20, 200));
    const pid = await findVictim(load);
    if (pid === undefined || !isOurs(pid)) continue;
    kills.push({ at: Date.now(), runId: watch.drivenBy(pid) });
    process.kill(pid, 'SIGKILL');
  }
  return kills;
}

/** Kills processes under load, then lets everything come to its end. */
async function killUnderLoad(load: RandomLoad): Promise<readonly Kill[]> {
  const over = new AbortController();
  const sending = load.keepUp(IN_FLIGHT, over.signal);
  const kills = await killAtRandom(load).finally(() => over.abort());
  await sending;
  // Somebody looks within a minute at a run that got its key from a killed process; only the long version waits for that.
  const ahead = IS_LONG ? undefined : setInterval(() => void app.sweepAhead(), SWEEP_MILLIS);
  await vi.waitFor(() => expect(load.inFlight).toBe(0), { timeout: IS_LONG ? 180_000 : 60_000, interval: 100 });
  clearInterval(ahead);
  return kills;
}

function storedTickets(): readonly { readonly id: string; readonly key: string }[] {
  const lines = readFileSync(join(directory, 'tickets.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ key }) => !key.startsWith('control-'));
}

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

it(`answers as without kills and opens each ticket once, ${KILLS} times killed at random (SEED=${SEED} repeats the choices)`, async () => {
  const control = await controlOutputs();
  posts.length = 0;
  const load = new RandomLoad(app, random);
  const kills = await killUnderLoad(load);
  const crashed = app.stack.invocations.filter(({ outcome }) => outcome === 'crashed').length;
  console.info(`SEED=${SEED}: ${kills.length} kills, ${crashed} of them at work, ${load.sent.length} runs.`);
  expect(crashed).toBeGreaterThan(kills.length / 3);

  const tickets = new Map(storedTickets().map(({ id, key }) => [key, `${app.tickets.url}/tickets/${id}`]));
  const answers = await Promise.all(load.sent.map(({ requestId }) => app.answer(requestId)));
  expect(answers.map(({ messages }) => messages)).toEqual(
    load.sent.map(({ diff, ...request }) => {
      const about = { ...request, agent: AGENT };
      const ticket = tickets.get(request.requestId);
      const output = { ...control.get(diff), ...(ticket === undefined ? {} : { ticket }) };
      return [
        { ...about, eventId: expect.any(String), output },
        { ...about, status: 'COMPLETED' },
      ];
    }),
  );
  const withTicket = load.sent.filter(({ diff }) => diff !== 'deletions-only').map(({ requestId }) => requestId);
  expect(
    storedTickets()
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(withTicket.toSorted());
  expect(posts.toSorted()).toEqual(withTicket.toSorted());
  // Without a reason: the message was received five times by processes that were killed; it may still have been accepted.
  expect(app.refusals.messages.filter(({ attributes }) => attributes.reason !== undefined)).toEqual([]);

  const ends = endsIn(app.outputs.messages);
  for (const key of new Set(load.sent.flatMap((request) => request.key ?? []))) {
    const inOrder = load.sent.filter((request) => request.key === key).map(({ requestId }) => requestId);
    expect(ends.filter((end) => end.key === key).map(({ requestId }) => requestId)).toEqual(inOrder);
  }

  const delays = kills.flatMap(({ at, runId }) => {
    const again = watch.drives.find((drive) => drive.runId === runId && drive.at > at);
    return again === undefined ? [] : [again.at - at];
  });
  expect(delays.length).toBeGreaterThan(kills.length / 5);
  expect(medianOf(delays)).toBeLessThan(LEASE_MILLIS + SWEEP_MILLIS + QUEUEING_MILLIS);
  // None was left to whoever looks after a minute.
  expect(Math.max(...delays)).toBeLessThan(DUE_NEAR_MILLIS);
}, 900_000);
