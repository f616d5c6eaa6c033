import { TicketServiceError } from './ticket-client.ts';

/** Takes the ticket service's base URL out of the environment. */
export function ticketServiceUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const url = environment.TICKET_SERVICE_URL;
  if (!url) {
    throw new TicketServiceError(
      'TICKET_SERVICE_URL is not set. Set it to the base URL of the ticket service, such as http://127.0.0.1:8080.',
    );
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TicketServiceError('TICKET_SERVICE_URL is not an http URL. Write it with http:// or https://.');
  }
  return url;
}
