import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { JobClient, TestRunnerError } from '../../../functions/agents/code-review/job-client.ts';
import { type JobService, startJobService } from '../../../scripts/services/job-service.ts';

const services: JobService[] = [];
const start = async (options?: Parameters<typeof startJobService>[0]) => {
  const service = await startJobService(options);
  services.push(service);
  return service;
};
const clientOf = ({ url }: JobService) => new JobClient({ baseUrl: url });

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

describe('the job service', () => {
  it('takes a job once for each key, however often it is sent', async () => {
    const service = await start();
    const client = clientOf(service);
    expect(await client.find('a#1')).toBeUndefined();
    await client.start('a#1', 'x');
    await client.start('a#1', 'x');
    await client.start('ü b', 'y');
    expect(service.jobs().map(({ id, diff }) => [id, diff])).toEqual([
      ['J-1', 'x'],
      ['J-2', 'y'],
    ]);
    expect(await client.find('a#1')).toMatchObject({ id: 'J-1', status: 'running' });
  });

  it('has a result when its time is over, and refuses it before', async () => {
    const slow = clientOf(await start({ jobMillis: 60_000 }));
    await slow.start('k', 'x');
    await expect(slow.report('k')).rejects.toThrow(/answered 409/);
    const quick = clientOf(await start({ jobMillis: 0 }));
    await quick.start('k', '');
    expect(await quick.find('k')).toMatchObject({ status: 'completed' });
    expect(await quick.report('k')).toBe('6 checks passed, 0 failed');
  });

  it('stops a job that runs, and leaves one that is done', async () => {
    const slow = clientOf(await start({ jobMillis: 60_000 }));
    await slow.start('k', 'x');
    await slow.stop('k');
    await slow.stop('k');
    expect(await slow.find('k')).toMatchObject({ status: 'cancelled' });
    const quick = clientOf(await start({ jobMillis: 0 }));
    await quick.start('k', '');
    await quick.stop('k');
    expect(await quick.find('k')).toMatchObject({ status: 'completed' });
    await expect(quick.stop('other')).rejects.toThrow(TestRunnerError);
  });

  it('keeps its jobs in a file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobs-'));
    const file = join(directory, 'jobs.jsonl');
    const first = clientOf(await start({ file, jobMillis: 60_000 }));
    await first.start('k', 'x');
    await first.start('l', 'x');
    await first.stop('l');
    const second = await start({ file, jobMillis: 60_000 });
    expect(second.jobs()).toHaveLength(2);
    expect(await clientOf(second).find('l')).toMatchObject({ id: 'J-2', status: 'cancelled' });
    await rm(directory, { recursive: true });
  });

  it.each([
    ['POST', '/jobs', '{"diff":"x"}', {}, 400, /idempotency-key/],
    ['POST', '/jobs', '{"dif":"x"}', { 'idempotency-key': 'k' }, 400, /not \{ "diff" \}/],
    ['POST', '/jobs', 'x', { 'idempotency-key': 'k' }, 400, /not \{ "diff" \}/],
    ['GET', '/jobs/J-9', undefined, {}, 404, /no GET \/jobs\/J-9/],
    ['PUT', '/jobs', '{}', {}, 404, /no PUT/],
    ['GET', '/other', undefined, {}, 404, /no GET \/other/],
  ])('refuses %s %s with %s', async (method, path, body, headers, status, message) => {
    const { url } = await start();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: string }).error).toMatch(message);
  });
});
