import { serviceUrl } from './service-url.ts';
import { TicketServiceError } from './ticket-client.ts';

/** Where the ticket service is. @throws TicketServiceError */
export const ticketServiceUrl = (environment: Readonly<Record<string, string | undefined>>): string =>
  serviceUrl(environment, 'TICKET_SERVICE_URL', 'ticket service', (message) => new TicketServiceError(message));
