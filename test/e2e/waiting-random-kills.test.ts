import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { endsIn } from './support/answer.ts';
import { KILLS, SEED } from './support/effort.ts';
import { Random } from './support/random.ts';
import { REVIEW, startTestApp, type TestApp } from './support/test-app.ts';

const RUNS_AT_ONCE = 16;
const VICTIMS = ['run-agent', 'poll-subagent', 'run-agent', 'poll-subagent', 'accept-requests', 'sweep-runs'];
const REPORT = '6 checks passed, 0 failed';

const random = new Random(SEED);
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    overrides: { maxWorkersPerFunction: 3, visibilityTimeoutSeconds: 4 },
    // One run, or its poller, may be unlucky many times in a row.
    config: { 'run.max-attempts': 50, 'subagent.poll-check-millis': 5_000 },
  });
});
afterAll(() => app.close());

const diffOf = (requestId: string): string =>
  ['--- a/notes.md', '+++ b/notes.md', '@@ -1 +1,2 @@', ' Notes', `+about ${requestId}.`, ''].join('\n');

const sent: string[] = [];
const open = (): number => {
  const ended = new Set(endsIn(app.outputs.messages).map(({ requestId }) => requestId));
  return sent.filter((requestId) => !ended.has(requestId)).length;
};

async function sendNew(): Promise<void> {
  const requestId = `run-${sent.length}`;
  sent.push(requestId);
  const key = random.next() < 0.3 ? { key: `key-${random.integer(1, 3)}` } : {};
  await app.send(
    { requestId, agent: REVIEW, ...key, input: { diff: diffOf(requestId) } },
    { group: key.key ?? requestId },
  );
}

async function killOne(): Promise<boolean> {
  const pids = app.stack.workerPids(random.pick(VICTIMS));
  if (pids.length === 0) return false;
  process.kill(random.pick(pids), 'SIGKILL');
  return true;
}

it(`has each job done once and each ticket opened once, ${KILLS} times killed at random while runs wait (SEED=${SEED} repeats the choices)`, async () => {
  let kills = 0;
  while (kills < KILLS) {
    while (open() < RUNS_AT_ONCE) await sendNew();
    await pause(random.integer(20, 250));
    if (await killOne()) kills += 1;
  }
  const ahead = setInterval(() => void app.sweepAhead(), 1_000);
  await vi
    .waitFor(() => expect(open()).toBe(0), { timeout: 120_000, interval: 100 })
    .finally(() => clearInterval(ahead));
  const crashed = app.stack.invocations.filter(({ outcome }) => outcome === 'crashed');
  const by = Object.entries(Object.groupBy(crashed, ({ functionName }) => functionName));
  console.info(
    `SEED=${SEED}: ${kills} kills, at work ${by.map(([name, list]) => `${name} ${list?.length}`).join(', ')}; ${sent.length} runs.`,
  );
  expect(crashed.length).toBeGreaterThan(kills / 5);

  for (const requestId of sent) {
    expect(await app.answer(requestId)).toMatchObject({ status: 'COMPLETED', outputs: [{ tests: REPORT }] });
    expect(app.ticketsOf(requestId)).toHaveLength(1);
    expect(app.jobs.jobs().filter(({ diff }) => diff === diffOf(requestId))).toHaveLength(1);
  }
  expect(app.refusals.messages.filter(({ attributes }) => attributes.reason !== undefined)).toEqual([]);
}, 600_000);
