import * as z from 'zod';
import { runChecks } from './diff-checks.ts';
import { type HttpAnswer, type HttpRequest, type HttpService, refuse, startHttpService } from './http-service.ts';
import { JobBook, type StoredJob } from './job-book.ts';

export interface JobServiceOptions {
  /** How long a job takes, in milliseconds. @default 3,000 */
  readonly jobMillis?: number;
  /** A JSON Lines file in which jobs outlive the process. @default jobs are kept in memory */
  readonly file?: string;
  /** @default 0, any free port */
  readonly port?: number;
}

/** A running job service. */
export interface JobService extends HttpService {
  jobs(): readonly StoredJob[];
}

type JobStatus = 'running' | 'completed' | 'cancelled';

const submission = z.strictObject({ diff: z.string() });

/**
 * Starts a small HTTP service on 127.0.0.1 that runs checks on diffs, as a test runner of a company would: it takes a job, works for some
 * seconds, and is asked how far it is. It serves `POST /jobs` with an `idempotency-key`, `GET /jobs?key=…`, `GET /jobs/:id`,
 * `GET /jobs/:id/result` and `DELETE /jobs/:id`; a known key answers its job.
 */
export async function startJobService(options: JobServiceOptions = {}): Promise<JobService> {
  const { jobMillis = 3_000, port = 0 } = options;
  const book = new JobBook(options.file);
  const statusOf = ({ id, submittedAt }: StoredJob): JobStatus => {
    if (book.isCancelled(id)) return 'cancelled';
    return Date.now() - submittedAt < jobMillis ? 'running' : 'completed';
  };
  const service = await startHttpService(port, (request) => answer(request, book, statusOf));
  return { ...service, jobs: () => book.all() };
}

async function answer(
  { method, url, headers, body: readBody }: HttpRequest,
  book: JobBook,
  statusOf: (job: StoredJob) => JobStatus,
): Promise<HttpAnswer> {
  const shown = (job: StoredJob) => ({ id: job.id, key: job.key, status: statusOf(job) });
  const [, collection, id, member] = url.pathname.split('/');
  const notFound = refuse(404, `There is no ${method} ${url.pathname} here.`);
  if (collection !== 'jobs') return notFound;
  if (id === undefined && method === 'POST') {
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return refuse(400, 'The header idempotency-key is missing. Send one.');
    const diff = parseSubmission(await readBody());
    if (diff === undefined) return refuse(400, 'The body is not { "diff" } in JSON of at most 1 MiB. Send that.');
    const known = book.findByKey(key);
    if (known) return { status: 200, body: shown(known) };
    return { status: 201, body: shown(book.add({ key, diff, submittedAt: Date.now() })) };
  }
  if (id === undefined && method === 'GET') {
    const key = url.searchParams.get('key');
    return {
      status: 200,
      body: {
        jobs: book
          .all()
          .filter((job) => key === null || job.key === key)
          .map(shown),
      },
    };
  }
  const job = book.find(id ?? '');
  if (job === undefined) return notFound;
  if (member === 'result' && method === 'GET') {
    const status = statusOf(job);
    if (status !== 'completed') return refuse(409, `Job ${job.id} is ${status} and has no result. Ask for its status.`);
    return { status: 200, body: { report: runChecks(job.diff).text } };
  }
  if (member !== undefined) return notFound;
  if (method === 'DELETE' && statusOf(job) === 'running') book.cancel(job.id);
  return method === 'GET' || method === 'DELETE' ? { status: 200, body: shown(job) } : notFound;
}

function parseSubmission(text: string | undefined): string | undefined {
  try {
    return submission.parse(JSON.parse(text ?? '')).diff;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}
