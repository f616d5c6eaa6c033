import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  startTicketService,
  type TicketService,
  type TicketServiceOptions,
} from '../../../scripts/services/ticket-service.ts';

const started: TicketService[] = [];
const folders: string[] = [];
const start = async (options?: TicketServiceOptions) => {
  const service = await startTicketService(options);
  started.push(service);
  return service;
};
const newFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickets-'));
  folders.push(folder);
  return join(folder, 'tickets.jsonl');
};
const post = (service: TicketService, key: string, title = 'A title') =>
  fetch(`${service.url}/tickets`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ title, body: 'A body' }),
  });

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('the ticket service', () => {
  it('opens a ticket and answers it under its own URL', async () => {
    const service = await start();
    const answer = await post(service, 'run-1');
    expect(answer.status).toBe(201);
    const ticket = { id: 'T-1', key: 'run-1', title: 'A title', body: 'A body', url: `${service.url}/tickets/T-1` };
    expect(await answer.json()).toEqual(ticket);
    expect(await (await fetch(ticket.url)).json()).toEqual(ticket);
  });

  it('answers the same ticket for a known key, also to requests at the same time', async () => {
    const service = await start();
    const answers = await Promise.all(['one', 'two', 'three'].map((title) => post(service, 'run-1', title)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(service.tickets()).toHaveLength(1);
  });

  it('lists the tickets of a key, or all', async () => {
    const service = await start();
    await post(service, 'run-1');
    await post(service, 'run 2/u');
    const list = async (query: string) => (await fetch(`${service.url}/tickets${query}`)).json();
    expect(await list('?key=run%202%2Fu')).toMatchObject({ tickets: [{ id: 'T-2' }] });
    expect(await list('?key=run-3')).toEqual({ tickets: [] });
    expect(await list('')).toMatchObject({ tickets: [{ id: 'T-1' }, { id: 'T-2' }] });
  });

  it.each([
    ['no key', {}, '{"title":"a","body":"b"}', 400],
    ['no JSON', { 'idempotency-key': 'k' }, 'title', 400],
    ['another shape', { 'idempotency-key': 'k' }, '{"title":"a","body":"b","more":1}', 400],
    ['a body above a megabyte', { 'idempotency-key': 'k' }, `{"title":"${'a'.repeat(1024 * 1024)}","body":""}`, 413],
  ])('refuses a request with %s and opens nothing', async (_, headers, body, status) => {
    const service = await start();
    const answer = await fetch(`${service.url}/tickets`, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/\. .+\.$/) });
    expect(service.tickets()).toEqual([]);
  });

  it('knows no other tickets, paths and methods', async () => {
    const service = await start();
    const statuses = await Promise.all(
      ['/tickets/T-1', '/', '/tickets/'].map(async (path) => (await fetch(service.url + path)).status),
    );
    expect([...statuses, (await fetch(`${service.url}/tickets`, { method: 'DELETE' })).status]).toEqual([
      404, 404, 404, 404,
    ]);
  });

  it('keeps tickets in a file over a restart, and counts on', async () => {
    const file = newFile();
    const first = await start({ file });
    await post(first, 'run-1');
    await first.close();
    const second = await start({ file });
    expect((await post(second, 'run-1')).status).toBe(200);
    expect((await post(second, 'run-2')).status).toBe(201);
    expect(second.tickets().map(({ id, key }) => ({ id, key }))).toEqual([
      { id: 'T-1', key: 'run-1' },
      { id: 'T-2', key: 'run-2' },
    ]);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  });

  it('drops a line that a killed process did not finish', async () => {
    const file = newFile();
    const whole = '{"id":"T-1","key":"run-1","title":"ä","body":""}\n';
    writeFileSync(file, `${whole}{"id":"T-2","key":"run-2","ti`);
    const service = await start({ file });
    expect((await post(service, 'run-2')).status).toBe(201);
    expect(readFileSync(file, 'utf8')).toBe(`${whole}{"id":"T-2","key":"run-2","title":"A title","body":"A body"}\n`);
  });

  it('has stored the ticket when beforeAnswer cuts the connection', async () => {
    const service = await start({
      beforeAnswer: () => {
        throw new Error('The answer is lost.');
      },
    });
    await expect(post(service, 'run-1')).rejects.toThrow('fetch failed');
    expect(service.tickets()).toHaveLength(1);
    expect((await post(service, 'run-1')).status).toBe(200);
  });

  it('fails to start on a port in use, and frees its own when closed', async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    await expect(startTicketService({ port })).rejects.toThrow('EADDRINUSE');
    await first.close();
    expect((await start({ port })).url).toBe(first.url);
  });
});
