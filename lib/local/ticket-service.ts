import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { type StoredTicket, TicketBook } from './ticket-book.ts';

export interface TicketServiceOptions {
  /** A JSON Lines file in which tickets outlive the process. @default tickets are kept in memory */
  readonly file?: string;
  /** @default 0, any free port */
  readonly port?: number;
  /** Called when a new ticket is stored and not yet answered. An exception cuts the connection: the answer is lost. */
  readonly beforeAnswer?: (ticket: StoredTicket) => void | Promise<void>;
}

/** A running ticket service. */
export interface TicketService {
  readonly url: string;
  tickets(): readonly StoredTicket[];
  /** Cuts open connections and frees the port. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const draft = z.strictObject({ title: z.string().min(1), body: z.string() });
// Far above any ticket that somebody reads, far below what would fill the memory.
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Starts a small HTTP service on 127.0.0.1 that opens tickets: a side effect that can be counted. It serves
 * `POST /tickets` with an `idempotency-key`, `GET /tickets?key=…` and `GET /tickets/:id`; a known key answers its ticket.
 */
export async function startTicketService(options: TicketServiceOptions = {}): Promise<TicketService> {
  const book = new TicketBook(options.file);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', (request, response) => {
    answer(request, url, book, options).then(
      (result) => send(response, result),
      () => response.destroy(),
    );
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, tickets: () => book.all(), close };
}

async function answer(
  request: IncomingMessage,
  baseUrl: string,
  book: TicketBook,
  options: TicketServiceOptions,
): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', baseUrl);
  const shown = (ticket: StoredTicket) => ({ ...ticket, url: `${baseUrl}/tickets/${ticket.id}` });

  if (request.method === 'POST' && pathname === '/tickets') {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return refuse(400, 'The header idempotency-key is missing. Send one.');
    const body = await readBody(request);
    if (body === undefined) return refuse(413, `The body is above ${MAX_BODY_BYTES} bytes. Send a shorter one.`);
    const parsed = parseDraft(body);
    if (parsed === undefined) return refuse(400, 'The body is not { "title", "body" } in JSON. Send that.');

    const known = book.findByKey(key);
    if (known) return { status: 200, body: shown(known) };
    const ticket = book.add({ key, ...parsed });
    await options.beforeAnswer?.(ticket);
    return { status: 201, body: shown(ticket) };
  }
  if (request.method === 'GET' && pathname === '/tickets') {
    const key = searchParams.get('key');
    const tickets = book.all().filter((ticket) => key === null || ticket.key === key);
    return { status: 200, body: { tickets: tickets.map(shown) } };
  }
  const ticket = request.method === 'GET' ? book.findById(pathname.replace(/^\/tickets\//, '')) : undefined;
  return ticket ? { status: 200, body: shown(ticket) } : refuse(404, `There is no ${request.method} ${pathname} here.`);
}

function refuse(status: number, error: string): Answer {
  return { status, body: { error } };
}

function parseDraft(text: string): z.infer<typeof draft> | undefined {
  try {
    return draft.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
