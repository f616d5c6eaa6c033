import { setTimeout as pause } from 'node:timers/promises';
import { endsIn } from './answer.ts';
import type { Random } from './random.ts';
import { AGENT, readDiff, type TestApp } from './test-app.ts';

/** What the requests are about; the last one opens no ticket. */
export const LOAD_DIFFS = ['sample', 'debug-output', 'crlf', 'combined-merge', 'deletions-only'] as const;
export type LoadDiff = (typeof LOAD_DIFFS)[number];

export interface LoadRequest {
  readonly requestId: string;
  readonly key?: string;
  readonly diff: LoadDiff;
}

// Some requests have none.
const KEYS = ['', '', '', 'a', 'b', 'c', 'd', 'schlüssel'];

/** Random requests, some of them sent twice or again much later. */
export class RandomLoad {
  /** In the order in which they were sent for the first time. */
  readonly sent: LoadRequest[] = [];
  readonly #app: TestApp;
  readonly #random: Random;
  /** Requests are sent one after the other, so that the order of a key is known. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(app: TestApp, random: Random) {
    this.#app = app;
    this.#random = random;
  }

  /** How many requests were not answered yet. */
  get inFlight(): number {
    const ended = new Set(endsIn(this.#app.outputs.messages).map(({ requestId }) => requestId));
    return this.sent.filter(({ requestId }) => !ended.has(requestId)).length;
  }

  async sendNew(): Promise<void> {
    const key = this.#random.pick(KEYS);
    const diff = this.#random.pick(LOAD_DIFFS);
    const request = { requestId: `run-${this.sent.length}`, diff, ...(key === '' ? {} : { key }) };
    this.sent.push(request);
    await this.#deliver(request);
  }

  async sendAgain(): Promise<void> {
    await this.#deliver(this.#random.pick(this.sent));
  }

  /** Keeps so many requests in flight. */
  async keepUp(inFlight: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.inFlight < inFlight) await this.sendNew();
      if (this.#random.next() < 0.1) await this.sendAgain();
      await pause(this.#random.integer(20, 80));
    }
  }

  async #deliver({ diff, ...request }: LoadRequest): Promise<void> {
    const body = { ...request, agent: AGENT, input: { diff: readDiff(diff) } };
    const sending = this.#sending.then(() => this.#app.send(body, { group: request.key ?? request.requestId }));
    this.#sending = sending;
    await sending;
  }
}
