import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TicketClient, TicketServiceError } from '../../../functions/agents/remote/ticket-client.ts';
import { ticketServiceUrl } from '../../../functions/agents/remote/ticket-service-url.ts';
import { startTicketService, type TicketService } from '../../../scripts/services/ticket-service.ts';

const draft = { title: 'Diff report: 1 error.', body: 'A body with ü\nand a line' };
const services: TicketService[] = [];
const servers: Server[] = [];
const start = async (options?: Parameters<typeof startTicketService>[0]) => {
  const service = await startTicketService(options);
  services.push(service);
  return service;
};
const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const clientOf = (baseUrl: string, timeoutMillis = 5_000) => new TicketClient({ baseUrl, timeoutMillis });

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe('TicketClient', () => {
  it('opens one ticket per key and finds it again', async () => {
    const service = await start();
    const client = clientOf(service.url);
    expect(await client.findByKey('run-1')).toBeUndefined();
    const opened = await client.open(draft, { idempotencyKey: 'run-1' });
    expect(await client.open({ title: 'Another', body: '' }, { idempotencyKey: 'run-1' })).toEqual(opened);
    expect(await client.findByKey('run-1')).toEqual(opened);
    expect(service.tickets()).toMatchObject([{ key: 'run-1', ...draft }]);
  });

  it.each(['pr-7@3f2a', 'straße 日本', ' spaces ', 'a&b=c?d#e/f%20', 'line\nfeed'])(
    'takes any run id for a key: %j',
    async (key) => {
      const service = await start();
      const client = clientOf(service.url);
      const opened = await client.open(draft, { idempotencyKey: key });
      expect(await client.findByKey(key)).toEqual(opened);
      expect(await client.findByKey(`${key}x`)).toBeUndefined();
    },
  );

  it('keeps a path in the base URL', async () => {
    const paths: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.end('{"tickets":[]}');
    });
    await clientOf(`${url}/api`).findByKey('k');
    await clientOf(`${url}/api/`).findByKey('k');
    expect(paths).toEqual(['/api/tickets?key=k', '/api/tickets?key=k']);
  });

  it('finds a ticket whose answer was lost', async () => {
    const service = await start({
      beforeAnswer: () => {
        throw new Error('The answer is lost.');
      },
    });
    const client = clientOf(service.url);
    await expect(client.open(draft, { idempotencyKey: 'run-1' })).rejects.toThrow(TicketServiceError);
    expect(await client.findByKey('run-1')).toMatchObject({ id: 'T-1' });
  });

  it('says that an error status, another answer and a dead address are faults, and what to do', async () => {
    const find = (baseUrl: string) => clientOf(baseUrl).findByKey('k');
    const failing = await serve((_, response) => response.writeHead(503).end('{}'));
    await expect(find(failing)).rejects.toThrow(/^GET http:.*\/tickets answered 503\. Look into/);
    const page = await serve((_, response) => response.end('<html>'));
    await expect(find(page)).rejects.toThrow(
      /answered something else than a ticket service does\. Check that TICKET_SERVICE_URL/,
    );
    const shape = await serve((_, response) => response.end('{"tickets":{}}'));
    await expect(find(shape)).rejects.toThrow(/answered something else than a ticket/);
    const closed = await startTicketService();
    await closed.close();
    await expect(find(closed.url)).rejects.toThrow(/cannot be reached\. Check TICKET_SERVICE_URL/);
  });

  it('gives up a silent service after the timeout, also in the middle of an answer', async () => {
    const silent = await serve(() => {});
    await expect(clientOf(silent, 30).findByKey('k')).rejects.toThrow(/did not answer within 30 ms/);
    const stuck = await serve((_, response) => response.writeHead(200).write('{"tick'));
    await expect(clientOf(stuck, 30).findByKey('k')).rejects.toThrow(/did not answer within 30 ms/);
  });

  it('stops with the reason of the signal when it is aborted before or during the request', async () => {
    const reason = new Error('The drive ends.');
    const during = new AbortController();
    const url = await serve(() => during.abort(reason));
    const options = { idempotencyKey: 'k', signal: during.signal };
    await expect(clientOf(url).open(draft, options)).rejects.toBe(reason);
    await expect(clientOf(url).open(draft, options)).rejects.toBe(reason);
  });
});

describe('ticketServiceUrl', () => {
  it('is the value of TICKET_SERVICE_URL', () => {
    expect(ticketServiceUrl({ TICKET_SERVICE_URL: 'http://127.0.0.1:8080' })).toBe('http://127.0.0.1:8080');
  });

  it.each([
    [undefined, /is not set\. Set it/],
    ['', /is not set\. Set it/],
    ['localhost:8080', /is not an http URL\. Write it/],
    ['http://', /is not an http URL\. Write it/],
  ])('refuses %j and names the remedy', (value, message) => {
    expect(() => ticketServiceUrl({ TICKET_SERVICE_URL: value })).toThrow(message);
  });
});
