import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { JobClient, TestRunnerError } from '../../../functions/agents/code-review/job-client.ts';
import { type JobService, startJobService } from '../../../scripts/services/job-service.ts';

const services: JobService[] = [];
const servers: Server[] = [];
const start = async (options?: Parameters<typeof startJobService>[0]) => {
  const service = await startJobService(options);
  services.push(service);
  return service;
};
const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const clientOf = (baseUrl: string, timeoutMillis = 5_000) => new JobClient({ baseUrl, timeoutMillis });

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe('JobClient', () => {
  it.each(['9f2c#01ab', 'straße 日本', ' spaces ', 'a&b=c?d#e/f%20', 'line\nfeed'])(
    'takes any key, and finds the job by it alone: %j',
    async (key) => {
      const service = await start({ jobMillis: 0 });
      const client = clientOf(service.url);
      await client.start(key, 'hello');
      expect(await client.find(key)).toMatchObject({ id: 'J-1', status: 'completed' });
      expect(await client.find(`${key}x`)).toBeUndefined();
      expect(await client.report(key)).toMatch(/^5 checks passed, 1 failed:\n- the diff can be read: /);
    },
  );

  it('keeps a path in the base URL', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.end('{"jobs":[]}');
    });
    await clientOf(`${url}/api`).find('k');
    await clientOf(`${url}/api/`).find('k');
    expect(paths).toEqual(['/api/jobs?key=k', '/api/jobs?key=k']);
  });

  it('stops nothing where there is no job, and has no report of it', async () => {
    const { url, jobs } = await start();
    await clientOf(url).stop('k');
    expect(jobs()).toEqual([]);
    await expect(clientOf(url).report('k')).rejects.toThrow(
      new TestRunnerError('The test runner has no job "k". Submit it first.'),
    );
  });

  it('says that an error status, another answer and a dead address are faults, and what to do', async () => {
    const find = (baseUrl: string) => clientOf(baseUrl).find('k');
    const failing = await serve((_, response) => response.writeHead(503).end('{}'));
    await expect(find(failing)).rejects.toThrow(
      /^GET http:.*\/jobs answered 503\. Look into the log of the test runner/,
    );
    for (const answer of ['<html>', '{"jobs":{}}', '{"jobs":[{"id":"J-1","key":"k","status":"exploded"}]}']) {
      const url = await serve((_, response) => response.end(answer));
      const fault = find(url);
      await expect(fault).rejects.toThrow(TestRunnerError);
      await expect(fault).rejects.toThrow(/something else than a test runner does\. Check that TEST_RUNNER_URL/);
    }
    const closed = await startJobService();
    await closed.close();
    await expect(find(closed.url)).rejects.toThrow(/cannot be reached\. Check TEST_RUNNER_URL/);
  });

  it('gives up a silent service after the timeout, also in the middle of an answer', async () => {
    const silent = await serve(() => {});
    await expect(clientOf(silent, 30).start('k', 'x')).rejects.toThrow(/POST .* did not answer within 30 ms/);
    const stuck = await serve((_, response) => response.writeHead(200).write('{"jo'));
    await expect(clientOf(stuck, 30).find('k')).rejects.toThrow(/did not answer within 30 ms/);
  });
});
