import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { endsIn } from './support/answer.ts';
import { DriveWatch } from './support/drive-watch.ts';
import { KILLS, SEED } from './support/effort.ts';
import { Random } from './support/random.ts';
import { REVIEW, startTestApp, type TestApp } from './support/test-app.ts';

const RUNS_AT_ONCE = 8;
const VICTIMS = ['run-agent', 'poll-subagent', 'run-agent', 'poll-subagent', 'accept-requests', 'sweep-runs'];
const REPORT = '6 checks passed, 0 failed';

const random = new Random(SEED);
let app: TestApp;
let watch: DriveWatch;

beforeAll(async () => {
  app = await startTestApp({
    overrides: { maxWorkersPerFunction: 6, visibilityTimeoutSeconds: 4 },
    // One run, or its poller, may be unlucky many times in a row.
    config: { 'run.max-attempts': 50, 'subagent.poll-check-millis': 5_000 },
  });
  watch = new DriveWatch(app.stack);
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

/** Processes of a function that are at work now, as far as their log tells; of the others any. */
function candidates(functionName: string): readonly number[] {
  const pids = app.stack.workerPids(functionName);
  return functionName === 'run-agent' ? pids.filter((pid) => watch.drivenBy(pid) !== undefined) : pids;
}

async function killOne(): Promise<void> {
  const functionName = random.pick(VICTIMS);
  await vi.waitFor(() => expect(candidates(functionName)).not.toEqual([]), { timeout: 20_000, interval: 5 });
  await pause(random.integer(0, 40));
  const busy = candidates(functionName);
  const pids = busy.length > 0 ? busy : app.stack.workerPids(functionName);
  if (pids.length > 0) process.kill(random.pick(pids), 'SIGKILL');
}

it(`has each job done once and each ticket opened once, ${KILLS} times killed at random while runs wait (SEED=${SEED} repeats the choices)`, async () => {
  let kills = 0;
  while (kills < KILLS) {
    while (open() < RUNS_AT_ONCE) await sendNew();
    await pause(random.integer(50, 400));
    await killOne();
    kills += 1;
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
  expect(crashed.length).toBeGreaterThan(kills / 6);

  for (const requestId of sent) {
    expect(await app.answer(requestId)).toMatchObject({ status: 'COMPLETED', outputs: [{ tests: REPORT }] });
    expect(app.ticketsOf(requestId)).toHaveLength(1);
    expect(app.jobs.jobs().filter(({ diff }) => diff === diffOf(requestId))).toHaveLength(1);
  }
  expect(app.refusals.messages.filter(({ attributes }) => attributes.reason !== undefined)).toEqual([]);
}, 600_000);
