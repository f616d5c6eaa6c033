import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runKey } from '../../lib/store/keys.ts';
import { endsIn } from './support/answer.ts';
import { IS_LONG, SEED } from './support/effort.ts';
import { describeWrite } from './support/passing-write.ts';
import type { PassingRequest } from './support/proxy.ts';
import { AGENT, readDiff, startTestApp, type TestApp } from './support/test-app.ts';

const input = { diff: readDiff('sample') };
const KEY_GIVEN = 'UpdateItem KEY HEAD ac tn ttl vn';
const KEY_FREED = 'UpdateItem KEY HEAD ac ttl vn 1';
/** Writes of accept-requests for two requests; the others are run-agent's. */
const ACCEPTING = [
  'PutItem RUN INPUT 1',
  'PutItem RUN RUN 1',
  `${KEY_GIVEN} 1`,
  'SendMessage WakeQueue 1',
  'PutItem RUN INPUT 2',
  'PutItem RUN RUN 2',
  'PutItem KEY INBOX 1',
];

/** Two requests of one key. The second is parked while the first is at work, so that the first hands the key on. */
class Pair {
  readonly key: string;
  /** After this write the process that made it is killed, before it knows that it was made. */
  readonly killAfter: string | undefined;
  /** Writes made for the two so far, told apart by number. */
  readonly writes: string[] = [];
  killed = false;
  readonly #secondMayCome = Promise.withResolvers<void>();
  readonly #firstMayGoOn = Promise.withResolvers<void>();

  constructor(key: string, killAfter?: string) {
    this.key = key;
    this.killAfter = killAfter;
  }

  get requestIds(): readonly string[] {
    return [`${this.key}-first`, `${this.key}-second`];
  }

  async send(): Promise<void> {
    for (const requestId of this.requestIds) {
      await app.send({ requestId, agent: AGENT, key: this.key, input }, { group: this.key });
      await this.#secondMayCome.promise;
    }
  }

  /** The first has its ticket: it goes on when the second is parked. */
  async holdFirst(): Promise<void> {
    this.#secondMayCome.resolve();
    await this.#firstMayGoOn.promise;
  }

  wrote(what: string): string {
    const write = `${what} ${this.writes.filter((earlier) => earlier.startsWith(`${what} `)).length + 1}`;
    this.writes.push(write);
    if (what === 'PutItem KEY INBOX') this.#firstMayGoOn.resolve();
    return write;
  }

  kill(): void {
    this.killed = true;
    expect(app.killAll(ACCEPTING.includes(this.killAfter ?? '') ? 'accept-requests' : 'run-agent')).toBe(1);
    this.#secondMayCome.resolve();
    this.#firstMayGoOn.resolve();
  }
}

let app: TestApp;
const pairs = new Map<string, Pair>();
const pairIn = (text: string): Pair | undefined => pairs.get(/pair-\d+(?=-)/.exec(text)?.[0] ?? '');
const writes = new WeakMap<PassingRequest, string>();
const posts: string[] = [];

beforeAll(async () => {
  app = await startTestApp({
    // With one process of a function, it is the one that made the write.
    overrides: { maxWorkersPerFunction: 1, visibilityTimeoutSeconds: 2 },
    // Drives of other pairs die with a process now and then.
    config: { 'run.max-attempts': 50 },
    tickets: { beforeAnswer: ({ key }) => pairIn(key)?.holdFirst() },
    beforeTickets: {
      beforeRequest({ method, headers }) {
        if (method === 'POST') posts.push(headers['idempotency-key'] ?? '');
        return true;
      },
    },
    beforeAws: {
      beforeRequest(request) {
        const pair = pairIn(request.body);
        const what = describeWrite(request);
        if (pair !== undefined && what !== undefined) writes.set(request, pair.wrote(what));
        return true;
      },
      beforeAnswer(request) {
        const pair = pairIn(request.body);
        if (pair?.killAfter === undefined || pair.killed || pair.killAfter !== writes.get(request)) return true;
        pair.kill();
        return false;
      },
    },
  });
});
afterAll(() => app.close());

function newPair(killAfter?: string): Pair {
  const pair = new Pair(`pair-${pairs.size}`, killAfter);
  pairs.set(pair.key, pair);
  return pair;
}

/** All writes that the two requests of a key take when nobody is killed. */
async function writesOfControl(): Promise<readonly string[]> {
  const control = newPair();
  await control.send();
  const [, second = ''] = control.requestIds;
  await vi.waitFor(async () => expect((await app.items.get(runKey(second)))?.st).toBe('COMPLETED'), {
    timeout: 10_000,
  });
  return control.writes;
}

/**
 * Writes to kill after. The drive of the second repeats the kinds of writes of the first, so only the long version kills there;
 * the short one also leaves out every other write of run-agent, other ones with another seed.
 */
function choose(all: readonly string[]): readonly string[] {
  if (IS_LONG) return all;
  const firstEnded = all.indexOf('SendMessage WakeQueue 2') + 2;
  const kinds = [...all.slice(0, firstEnded), ...all.slice(all.indexOf(KEY_FREED))];
  const driving = kinds.filter((write) => !ACCEPTING.includes(write));
  return [...ACCEPTING, ...driving.filter((_, index) => index % 2 === SEED % 2)];
}

const wasKilled = (pair: Pair) => vi.waitFor(() => expect(pair.killed).toBe(true), { timeout: 30_000 });

it(`loses and repeats nothing, whichever write was the last of its process (SEED=${SEED} repeats the choice)`, async () => {
  const all = await writesOfControl();
  expect(all).toEqual(expect.arrayContaining([...ACCEPTING, `${KEY_GIVEN} 2`, 'SendMessage WakeQueue 2', KEY_FREED]));
  const chosen = choose(all);
  // One after the other: requests die in batches, and a message may only be received five times.
  for (const write of chosen.filter((name) => ACCEPTING.includes(name))) {
    const pair = newPair(write);
    await pair.send();
    await wasKilled(pair);
  }
  const driven = chosen.filter((name) => !ACCEPTING.includes(name)).map(newPair);
  await Promise.all(driven.map((pair) => pair.send()));
  await Promise.all(driven.map(wasKilled));
  await app.sweepAhead();

  const requestIds = [...pairs.values()].flatMap((pair) => pair.requestIds);
  const answers = await Promise.all(requestIds.map((requestId) => app.answer(requestId)));
  const [control] = answers;
  const seen = requestIds.map((requestId, index) => ({ requestId, messages: answers[index]?.messages }));
  const expected = requestIds.map((requestId) => {
    const about = { requestId, agent: AGENT, key: requestId.replace(/-[a-z]+$/, '') };
    const ticket = `${app.tickets.url}/tickets/${app.ticketsOf(requestId)[0]?.id}`;
    const output = { ...Object(control?.outputs[0]), ticket };
    return {
      requestId,
      messages: [
        { ...about, eventId: expect.any(String), output },
        { ...about, status: 'COMPLETED' },
      ],
    };
  });
  expect(seen).toEqual(expected);
  expect(posts.toSorted()).toEqual(requestIds.toSorted());
  expect(app.refusals.messages).toEqual([]);
  const ends = endsIn(app.outputs.messages);
  for (const pair of pairs.values()) {
    expect(ends.filter(({ key }) => key === pair.key).map(({ requestId }) => requestId)).toEqual(pair.requestIds);
  }
});
