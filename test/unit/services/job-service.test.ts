import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { JobClient } from '../../../functions/agents/code-review/job-client.ts';
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

  it('drops a line that a killed process did not finish, and counts on', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobs-'));
    const file = join(directory, 'jobs.jsonl');
    const whole = '{"id":"J-1","key":"k","diff":"ä","submittedAt":1}\n';
    await writeFile(file, `${whole}{"id":"J-2","key":"l","di`);
    const first = await start({ file, now: () => 2 });
    await clientOf(first).start('k', 'ä');
    await clientOf(first).start('l', 'y');
    expect(await readFile(file, 'utf8')).toBe(`${whole}{"id":"J-2","key":"l","diff":"y","submittedAt":2}\n`);
    expect((await start({ file })).jobs()).toEqual(first.jobs());
    await rm(directory, { recursive: true });
  });

  it('forgets a job for good, and takes its key for another one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobs-'));
    const file = join(directory, 'jobs.jsonl');
    const first = await start({ file });
    const client = clientOf(first);
    await client.start('k', 'x');
    first.forget('J-1');
    expect(await client.find('k')).toBeUndefined();
    expect((await fetch(`${first.url}/jobs/J-1`)).status).toBe(404);
    await client.start('k', 'x');
    const second = await start({ file });
    expect(second.jobs().map(({ id, key }) => [id, key])).toEqual([
      ['J-1', 'k'],
      ['J-2', 'k'],
    ]);
    expect(await clientOf(second).find('k')).toMatchObject({ id: 'J-2' });
    await rm(directory, { recursive: true });
  });

  it('tells its hooks of each request, before the work and after it', async () => {
    const seen: unknown[] = [];
    const service = await start({
      jobMillis: 0,
      beforeWork: ({ method, path, key }) => void seen.push(`${method} ${path} ${key}, ${service.jobs().length} jobs`),
      beforeAnswer: (_request, { status }) => void seen.push(status),
    });
    const client = clientOf(service);
    await client.start('k', 'x');
    await client.report('k');
    await client.stop('k');
    expect(seen).toEqual([
      'POST /jobs k, 0 jobs',
      201,
      'GET /jobs k, 1 jobs',
      200,
      'GET /jobs/J-1/result k, 1 jobs',
      200,
      'GET /jobs k, 1 jobs',
      200,
      'DELETE /jobs/J-1 k, 1 jobs',
      200,
    ]);
  });

  it('loses a request whose beforeWork throws, and an answer whose beforeAnswer throws', async () => {
    const lose = () => {
      throw new Error('Lost.');
    };
    const deaf = await start({ beforeWork: lose });
    await expect(clientOf(deaf).start('k', 'x')).rejects.toThrow(/cannot be reached/);
    expect(deaf.jobs()).toEqual([]);
    const mute = await start({ beforeAnswer: lose });
    await expect(clientOf(mute).start('k', 'x')).rejects.toThrow(/cannot be reached/);
    expect(mute.jobs()).toHaveLength(1);
  });

  it('answers what beforeAnswer gives, and nothing while it waits', async () => {
    const failing = await start({ beforeAnswer: () => ({ status: 500, body: {} }) });
    await expect(clientOf(failing).find('k')).rejects.toThrow(/answered 500/);
    const silent = await start({ beforeAnswer: () => new Promise<undefined>(() => {}) });
    const impatient = new JobClient({ baseUrl: silent.url, timeoutMillis: 30 });
    await expect(impatient.find('k')).rejects.toThrow(/did not answer within 30 ms/);
  });

  it('outlives a request whose target is no URL', async () => {
    const service = await start();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    socket.write('GET // HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await closed;
    expect(await clientOf(service).find('k')).toBeUndefined();
  });

  it.each([
    ['POST', '/jobs', `{"diff":"${'a'.repeat(1024 * 1024)}"}`, { 'idempotency-key': 'k' }, 413, /above 1048576 bytes/],
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
