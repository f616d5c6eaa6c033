import * as z from 'zod';
import { JsonService, wireKey } from '../remote/json-service.ts';

const job = z.object({ id: z.string(), key: z.string(), status: z.enum(['running', 'completed', 'cancelled']) });
const jobList = z.object({ jobs: z.array(job) });
const jobResult = z.object({ report: z.string() });

export type Job = z.infer<typeof job>;

/** The test runner did not do what was asked. */
export class TestRunnerError extends Error {
  override readonly name: string = 'TestRunnerError';
}

export interface JobClientOptions {
  readonly baseUrl: string;
  /** For each request, its answer's body included. @default 5000 */
  readonly timeoutMillis?: number;
}

/** Has diffs tested, each as a job under an idempotency key by which it can be found again. */
export class JobClient {
  readonly #service: JsonService;

  constructor({ baseUrl, timeoutMillis = 5_000 }: JobClientOptions) {
    this.#service = new JsonService({
      baseUrl,
      timeoutMillis,
      name: 'test runner',
      variable: 'TEST_RUNNER_URL',
      fail: (message, cause) => new TestRunnerError(message, { cause }),
    });
  }

  /** Starts a job; with a key that was used before, nothing. */
  async start(idempotencyKey: string, diff: string): Promise<void> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': wireKey(idempotencyKey) };
    await this.#service.request(this.#service.url('jobs'), job, {
      method: 'POST',
      headers,
      body: JSON.stringify({ diff }),
    });
  }

  /** The job under the key; `undefined`: there is none. */
  async find(idempotencyKey: string): Promise<Job | undefined> {
    const url = this.#service.url('jobs', { key: wireKey(idempotencyKey) });
    return (await this.#service.request(url, jobList, { method: 'GET' })).jobs[0];
  }

  /** What a completed job found. */
  async report(idempotencyKey: string): Promise<string> {
    const found = await this.find(idempotencyKey);
    if (!found) throw new TestRunnerError(`The test runner has no job "${idempotencyKey}". Submit it first.`);
    const { id } = found;
    return (await this.#service.request(this.#service.url(`jobs/${id}/result`), jobResult, { method: 'GET' })).report;
  }

  /** Stops the job under the key, when there is one that still runs. */
  async stop(idempotencyKey: string): Promise<void> {
    const found = await this.find(idempotencyKey);
    if (found) await this.#service.request(this.#service.url(`jobs/${found.id}`), job, { method: 'DELETE' });
  }
}
