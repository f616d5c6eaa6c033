import * as z from 'zod';
import { JsonLines } from './json-lines.ts';

const storedTicket = z.object({ id: z.string(), key: z.string(), title: z.string(), body: z.string() });

/** A ticket as it is kept; its URL depends on where the service listens. */
export type StoredTicket = z.infer<typeof storedTicket>;

/** Keeps tickets in memory and, given a file, as a line of JSON each, so that they outlive the process. */
export class TicketBook {
  readonly #tickets: StoredTicket[];
  readonly #lines: JsonLines<StoredTicket>;

  constructor(file?: string) {
    this.#lines = new JsonLines(file, storedTicket);
    this.#tickets = [...this.#lines.entries];
  }

  all(): readonly StoredTicket[] {
    return [...this.#tickets];
  }

  findByKey(key: string): StoredTicket | undefined {
    return this.#tickets.find((ticket) => ticket.key === key);
  }

  findById(id: string): StoredTicket | undefined {
    return this.#tickets.find((ticket) => ticket.id === id);
  }

  /** Adds a ticket; it is in the file before this returns. */
  add(ticket: Omit<StoredTicket, 'id'>): StoredTicket {
    const stored = { id: `T-${this.#tickets.length + 1}`, ...ticket };
    this.#lines.append(stored);
    this.#tickets.push(stored);
    return stored;
  }
}
