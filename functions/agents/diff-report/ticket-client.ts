import * as z from 'zod';

/** What a ticket says. */
export interface TicketDraft {
  readonly title: string;
  readonly body: string;
}

const ticket = z.object({ id: z.string(), key: z.string(), title: z.string(), url: z.url() });
const ticketList = z.object({ tickets: z.array(ticket) });

export type Ticket = z.infer<typeof ticket>;

/** The ticket service did not do what was asked. */
export class TicketServiceError extends Error {
  override readonly name: string = 'TicketServiceError';
}

export interface TicketClientOptions {
  readonly baseUrl: string;
  /** For each request, its answer's body included. @default 5000 */
  readonly timeoutMillis?: number;
}

/** Opens tickets, each under an idempotency key by which it can be found again. */
export class TicketClient {
  readonly #baseUrl: string;
  readonly #timeoutMillis: number;

  constructor({ baseUrl, timeoutMillis = 5_000 }: TicketClientOptions) {
    this.#baseUrl = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`;
    this.#timeoutMillis = timeoutMillis;
  }

  /** Opens the ticket; with a key that was used before, answers the ticket of that time. */
  async open(
    draft: TicketDraft,
    { idempotencyKey, signal }: { readonly idempotencyKey: string; readonly signal?: AbortSignal },
  ): Promise<Ticket> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': wireKey(idempotencyKey) };
    const url = new URL('tickets', this.#baseUrl);
    return this.#request(url, ticket, { method: 'POST', headers, body: JSON.stringify(draft) }, signal);
  }

  /** The ticket opened under the key, or undefined when none was. */
  async findByKey(idempotencyKey: string, signal?: AbortSignal): Promise<Ticket | undefined> {
    const url = new URL('tickets', this.#baseUrl);
    url.searchParams.set('key', wireKey(idempotencyKey));
    return (await this.#request(url, ticketList, { method: 'GET' }, signal)).tickets[0];
  }

  async #request<T>(url: URL, schema: z.ZodType<T>, init: RequestInit, signal?: AbortSignal): Promise<T> {
    const timeout = AbortSignal.timeout(this.#timeoutMillis);
    const what = `${init.method} ${url.origin}${url.pathname}`;
    try {
      const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      if (!response.ok) {
        throw new TicketServiceError(`${what} answered ${response.status}. Look into the log of the ticket service.`);
      }
      return schema.parse(await response.json());
    } catch (error) {
      if (error instanceof TicketServiceError) throw error;
      signal?.throwIfAborted();
      throw new TicketServiceError(failureOf(error, what, timeout, this.#timeoutMillis), { cause: error });
    }
  }
}

function failureOf(error: unknown, what: string, timeout: AbortSignal, timeoutMillis: number): string {
  if (timeout.aborted)
    return `${what} did not answer within ${timeoutMillis} ms. See whether the service is overloaded.`;
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return `${what} answered something else than a ticket. Check that TICKET_SERVICE_URL is the ticket service.`;
  }
  return `${what} cannot be reached. Check TICKET_SERVICE_URL and that the ticket service runs.`;
}

// A header takes Latin-1 only, and loses spaces at its ends.
function wireKey(idempotencyKey: string): string {
  return encodeURIComponent(idempotencyKey);
}
