import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import * as z from 'zod';

const storedTicket = z.object({ id: z.string(), key: z.string(), title: z.string(), body: z.string() });

/** A ticket as it is kept; its URL depends on where the service listens. */
export type StoredTicket = z.infer<typeof storedTicket>;

/** Keeps tickets in memory and, given a file, as a line of JSON each, so that they outlive the process. */
export class TicketBook {
  readonly #tickets: StoredTicket[];
  readonly #file: string | undefined;

  constructor(file?: string) {
    this.#file = file;
    this.#tickets = file !== undefined && existsSync(file) ? readTickets(file) : [];
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
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(stored)}\n`);
    this.#tickets.push(stored);
    return stored;
  }
}

function readTickets(file: string): StoredTicket[] {
  const bytes = readFileSync(file);
  // A process killed while it wrote leaves a line without end; nobody was told of that ticket.
  const complete = bytes.lastIndexOf('\n') + 1;
  if (complete < bytes.length) truncateSync(file, complete);
  const lines = bytes.subarray(0, complete).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line) => storedTicket.parse(JSON.parse(line)));
}
