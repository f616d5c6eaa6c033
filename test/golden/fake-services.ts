export interface FakeServicesOptions {
  /** Keys of jobs that were sent before. */
  readonly knownJobs: readonly string[];
  /** A ticket is opened. */
  readonly onTicket: () => void;
  /** A job is sent, whether or not it is known. */
  readonly onJob: (key: string) => void;
}

/** Stands for the ticket service and the test runner of the demo agents, in the process itself: their jobs are done at once. */
export function fakeServices({ knownJobs, onTicket, onJob }: FakeServicesOptions): {
  readonly fetch: typeof fetch;
  readonly environment: Readonly<Record<string, string>>;
} {
  const tickets: { readonly id: string; readonly key: string; readonly title: string; readonly url: string }[] = [];
  const jobs = knownJobs.map((key, place) => ({ id: `J-${place}`, key: encodeURIComponent(key) }));
  const answer = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const key = new Headers(init.headers).get('idempotency-key') ?? url.searchParams.get('key') ?? '';
    const body = JSON.parse(String(init.body ?? 'null'));
    const isPost = init.method === 'POST';
    const [, collection, id] = url.pathname.split('/');
    if (collection === 'tickets') {
      if (isPost) onTicket();
      if (isPost && !tickets.some((ticket) => ticket.key === key))
        tickets.push({
          id: `T-${tickets.length + 1}`,
          key,
          title: body.title,
          url: `http://tickets.test/tickets/${key}`,
        });
      const found = tickets.filter((ticket) => ticket.key === key);
      return Response.json(isPost ? found[0] : { tickets: found });
    }
    if (isPost) onJob(decodeURIComponent(key));
    if (isPost && !jobs.some((job) => job.key === key)) jobs.push({ id: `J-${jobs.length}`, key });
    const shown = (job: (typeof jobs)[number]) => ({ id: job.id, key: job.key, status: 'completed' });
    if (id !== undefined) return Response.json({ report: 'Everything is in order.' });
    const found = jobs.filter((job) => job.key === key).map(shown);
    return Response.json(isPost ? found[0] : { jobs: found });
  };
  return {
    fetch: answer as typeof fetch,
    environment: { TICKET_SERVICE_URL: 'http://tickets.test', TEST_RUNNER_URL: 'http://tests.test' },
  };
}
