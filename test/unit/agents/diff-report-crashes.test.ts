import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testRuntime } from 'lambda-agents/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { diffReport } from '../../../functions/agents/diff-report.ts';
import { startTicketService, type TicketService } from '../../../scripts/services/ticket-service.ts';

const sample = readFileSync(join(import.meta.dirname, '../../../functions/agents/diff-report/sample.diff'), 'utf8');

let tickets: TicketService;
const before = process.env.TICKET_SERVICE_URL;

beforeAll(async () => {
  tickets = await startTicketService();
  process.env.TICKET_SERVICE_URL = tickets.url;
});

afterAll(async () => {
  if (before === undefined) delete process.env.TICKET_SERVICE_URL;
  else process.env.TICKET_SERVICE_URL = before;
  await tickets.close();
});

it.each([{}, { key: 'pr-7' }])(
  'survives every crash of the demo agent, with one ticket per run: %o',
  async (identity) => {
    // All runs have one id, hence one idempotency key: a second ticket would show.
    const requestId = `review-${JSON.stringify(identity).length}`;
    const report = await testRuntime([diffReport]).survivesEveryCrash(
      'diff_report',
      { diff: sample },
      { ...identity, requestId },
    );
    expect(report.crashes).toBeGreaterThan(20);
    const opened = tickets.tickets().filter(({ key }) => key === requestId);
    expect(opened).toHaveLength(1);
  },
);
