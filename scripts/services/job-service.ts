import * as z from 'zod';
import { runChecks } from './diff-checks.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpService,
  MAX_BODY_BYTES,
  refuse,
  startHttpService,
} from './http-service.ts';
import { JobBook, type StoredJob } from './job-book.ts';

/** A request that the service got, as its hooks see it. */
export interface JobRequest {
  readonly method: string;
  readonly path: string;
  /** The idempotency key of the job that it is about, as it was sent. */
  readonly key: string | undefined;
}

export interface JobServiceOptions {
  /** How long a job takes, in milliseconds. @default 3,000 */
  readonly jobMillis?: number;
  /** A JSON Lines file in which jobs outlive the process. @default jobs are kept in memory */
  readonly file?: string;
  /** @default 0, any free port */
  readonly port?: number;
  /** Milliseconds since 1970. @default the system's clock */
  readonly now?: () => number;
  /** Called before a request does anything. An exception cuts the connection: the request is lost. */
  readonly beforeWork?: (request: JobRequest) => void | Promise<void>;
  /**
   * Called when the work is done and not yet answered. What it returns is answered instead; an exception cuts the connection; a promise
   * that never settles lets the sender wait.
   */
  readonly beforeAnswer?: (
    request: JobRequest,
    answer: HttpAnswer,
  ) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
}

/** A running job service. */
export interface JobService extends HttpService {
  /** Every job that was ever taken. */
  jobs(): readonly StoredJob[];
  /** Loses a job, as a service does that is restored from a backup. The next job of its key is another one. */
  forget(id: string): void;
}

type JobStatus = 'running' | 'completed' | 'cancelled';

const submission = z.strictObject({ diff: z.string() });

/**
 * Starts a small HTTP service on 127.0.0.1 that runs checks on diffs, as a test runner of a company would: it takes a job, works for some
 * seconds, and is asked how far it is. It serves `POST /jobs` with an `idempotency-key`, `GET /jobs?key=…`, `GET /jobs/:id`,
 * `GET /jobs/:id/result` and `DELETE /jobs/:id`; a known key answers its job.
 */
export async function startJobService(options: JobServiceOptions = {}): Promise<JobService> {
  const book = new JobBook(options.file);
  const runner = new JobRunner(book, options);
  const service = await startHttpService(options.port ?? 0, async (request) => {
    const passing = toJobRequest(request, book);
    await options.beforeWork?.(passing);
    const answer = await runner.answer(request);
    return (await options.beforeAnswer?.(passing, answer)) ?? answer;
  });
  return { ...service, jobs: () => book.all(), forget: (id) => book.forget(id) };
}

function toJobRequest({ method, url, headers }: HttpRequest, book: JobBook): JobRequest {
  const [, , id] = url.pathname.split('/');
  const sent = url.searchParams.get('key') ?? headers['idempotency-key']?.toString();
  return { method, path: url.pathname, key: id === undefined ? sent : book.find(id)?.key };
}

class JobRunner {
  readonly #book: JobBook;
  readonly #jobMillis: number;
  readonly #now: () => number;

  constructor(book: JobBook, { jobMillis = 3_000, now = Date.now }: JobServiceOptions) {
    this.#book = book;
    this.#jobMillis = jobMillis;
    this.#now = now;
  }

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { method, url } = request;
    const [, collection, id, member] = url.pathname.split('/');
    const notFound = refuse(404, `There is no ${method} ${url.pathname} here.`);
    if (collection !== 'jobs') return notFound;
    if (id === undefined && method === 'POST') return this.#submit(request);
    if (id === undefined && method === 'GET') return this.#list(url.searchParams.get('key'));
    const job = this.#book.find(id ?? '');
    if (job === undefined) return notFound;
    if (member === 'result' && method === 'GET') return this.#result(job);
    if (member !== undefined) return notFound;
    if (method === 'DELETE' && this.#statusOf(job) === 'running') this.#book.cancel(job.id);
    return method === 'GET' || method === 'DELETE' ? { status: 200, body: this.#shown(job) } : notFound;
  }

  async #submit({ headers, body: readBody }: HttpRequest): Promise<HttpAnswer> {
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return refuse(400, 'The header idempotency-key is missing. Send one.');
    const body = await readBody();
    if (body === undefined) return refuse(413, `The body is above ${MAX_BODY_BYTES} bytes. Send a shorter one.`);
    const diff = parseSubmission(body);
    if (diff === undefined) return refuse(400, 'The body is not { "diff" } in JSON. Send that.');
    const known = this.#book.findByKey(key);
    if (known) return { status: 200, body: this.#shown(known) };
    return { status: 201, body: this.#shown(this.#book.add({ key, diff, submittedAt: this.#now() })) };
  }

  #list(key: string | null): HttpAnswer {
    const jobs = this.#book.known().filter((job) => key === null || job.key === key);
    return { status: 200, body: { jobs: jobs.map((job) => this.#shown(job)) } };
  }

  #result(job: StoredJob): HttpAnswer {
    const status = this.#statusOf(job);
    if (status !== 'completed') return refuse(409, `Job ${job.id} is ${status} and has no result. Ask for its status.`);
    return { status: 200, body: { report: runChecks(job.diff).text } };
  }

  #shown(job: StoredJob) {
    return { id: job.id, key: job.key, status: this.#statusOf(job) };
  }

  #statusOf({ id, submittedAt }: StoredJob): JobStatus {
    if (this.#book.isCancelled(id)) return 'cancelled';
    return this.#now() - submittedAt < this.#jobMillis ? 'running' : 'completed';
  }
}

function parseSubmission(text: string): string | undefined {
  try {
    return submission.parse(JSON.parse(text)).diff;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}
