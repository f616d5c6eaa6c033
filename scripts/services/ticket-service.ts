import * as z from 'zod';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpService,
  MAX_BODY_BYTES,
  refuse,
  startHttpService,
} from './http-service.ts';
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
export interface TicketService extends HttpService {
  tickets(): readonly StoredTicket[];
}

const draft = z.strictObject({ title: z.string().min(1), body: z.string() });

/**
 * Starts a small HTTP service on 127.0.0.1 that opens tickets: a side effect that can be counted. It serves
 * `POST /tickets` with an `idempotency-key`, `GET /tickets?key=…` and `GET /tickets/:id`; a known key answers its ticket.
 */
export async function startTicketService(options: TicketServiceOptions = {}): Promise<TicketService> {
  const book = new TicketBook(options.file);
  const service = await startHttpService(options.port ?? 0, (request, url) => answer(request, url, book, options));
  return { ...service, tickets: () => book.all() };
}

async function answer(
  { method, url, headers, body: readBody }: HttpRequest,
  baseUrl: string,
  book: TicketBook,
  options: TicketServiceOptions,
): Promise<HttpAnswer> {
  const { pathname, searchParams } = url;
  const shown = (ticket: StoredTicket) => ({ ...ticket, url: `${baseUrl}/tickets/${ticket.id}` });

  if (method === 'POST' && pathname === '/tickets') {
    const key = headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return refuse(400, 'The header idempotency-key is missing. Send one.');
    const body = await readBody();
    if (body === undefined) return refuse(413, `The body is above ${MAX_BODY_BYTES} bytes. Send a shorter one.`);
    const parsed = parseDraft(body);
    if (parsed === undefined) return refuse(400, 'The body is not { "title", "body" } in JSON. Send that.');

    const known = book.findByKey(key);
    if (known) return { status: 200, body: shown(known) };
    const ticket = book.add({ key, ...parsed });
    await options.beforeAnswer?.(ticket);
    return { status: 201, body: shown(ticket) };
  }
  if (method === 'GET' && pathname === '/tickets') {
    const key = searchParams.get('key');
    const tickets = book.all().filter((ticket) => key === null || ticket.key === key);
    return { status: 200, body: { tickets: tickets.map(shown) } };
  }
  const ticket = method === 'GET' ? book.findById(pathname.replace(/^\/tickets\//, '')) : undefined;
  return ticket ? { status: 200, body: shown(ticket) } : refuse(404, `There is no ${method} ${pathname} here.`);
}

function parseDraft(text: string): z.infer<typeof draft> | undefined {
  try {
    return draft.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}
