import * as z from 'zod';
import { JsonService, wireKey } from './json-service.ts';

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
  readonly #service: JsonService;

  constructor({ baseUrl, timeoutMillis = 5_000 }: TicketClientOptions) {
    this.#service = new JsonService({
      baseUrl,
      timeoutMillis,
      name: 'ticket service',
      variable: 'TICKET_SERVICE_URL',
      fail: (message, cause) => new TicketServiceError(message, { cause }),
    });
  }

  /** Opens the ticket; with a key that was used before, answers the ticket of that time. */
  async open(
    draft: TicketDraft,
    { idempotencyKey, signal }: { readonly idempotencyKey: string; readonly signal?: AbortSignal },
  ): Promise<Ticket> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': wireKey(idempotencyKey) };
    const init = { method: 'POST', headers, body: JSON.stringify(draft) };
    return this.#service.request(this.#service.url('tickets'), ticket, init, signal);
  }

  /** The ticket opened under the key, or undefined when none was. */
  async findByKey(idempotencyKey: string, signal?: AbortSignal): Promise<Ticket | undefined> {
    const url = this.#service.url('tickets', { key: wireKey(idempotencyKey) });
    return (await this.#service.request(url, ticketList, { method: 'GET' }, signal)).tickets[0];
  }
}
