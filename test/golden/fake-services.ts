/** Stands for the ticket service and the test runner of the demo agents, in the process itself: their jobs are done at once. @param knownJobs keys of jobs that were sent before */
export function fakeServices(knownJobs: readonly string[]): {
  readonly fetch: typeof fetch;
  readonly environment: Readonly<Record<string, string>>;
} {
  const tickets: { readonly id: string; readonly key: string; readonly title: string; readonly url: string }[] = [];
  const jobs = knownJobs.map((key, place) => ({ id: `J-${place}`, key: encodeURIComponent(key) }));
  const answer = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const key = new Headers(init.headers).get('idempotency-key') ?? url.searchParams.get('key') ?? '';
    const body = JSON.parse(String(init.body ?? 'null'));
    const [, collection, id] = url.pathname.split('/');
    if (collection === 'tickets') {
      if (init.method === 'POST' && !tickets.some((ticket) => ticket.key === key))
        tickets.push({
          id: `T-${tickets.length + 1}`,
          key,
          title: body.title,
          url: `http://tickets.test/tickets/${key}`,
        });
      const found = tickets.filter((ticket) => ticket.key === key);
      return Response.json(init.method === 'POST' ? found[0] : { tickets: found });
    }
    if (init.method === 'POST' && !jobs.some((job) => job.key === key)) jobs.push({ id: `J-${jobs.length}`, key });
    const shown = (job: (typeof jobs)[number]) => ({ id: job.id, key: job.key, status: 'completed' });
    if (id !== undefined) return Response.json({ report: 'Everything is in order.' });
    const found = jobs.filter((job) => job.key === key).map(shown);
    return Response.json(init.method === 'POST' ? found[0] : { jobs: found });
  };
  return {
    fetch: answer as typeof fetch,
    environment: { TICKET_SERVICE_URL: 'http://tickets.test', TEST_RUNNER_URL: 'http://tests.test' },
  };
}
