import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import * as z from 'zod';
import { parsedDiff } from './diff-report/parsed-diff.ts';
import { createReport, report, ticketOf } from './diff-report/report.ts';
import { parseUnifiedDiff } from './diff-report/unified-diff.ts';
import { TicketClient } from './remote/ticket-client.ts';
import { ticketServiceUrl } from './remote/ticket-service-url.ts';

/** A diff was read; carries its files and added lines. */
export const diffParsed = defineEvent('diff.parsed', parsedDiff);

/** A diff was inspected; carries the report, still without a ticket. */
export const diffInspected = defineEvent('diff.inspected', report);

// Read at each call: the module is also loaded where plans are compiled, without the function's environment.
const tickets = () => new TicketClient({ baseUrl: ticketServiceUrl(process.env) });

/** Reads a unified diff, reports what should not be merged as it is, and opens a ticket for it. */
export const diffReport = defineAgent({ name: 'diff_report', input: z.object({ diff: z.string() }), output: report })
  .addAction('parse', EventType.InputEvent, (event, ctx) => {
    ctx.sendEvent(diffParsed(parseUnifiedDiff(event.input.diff)));
  })
  .addAction('inspect', diffParsed, (event, ctx) => {
    ctx.sendEvent(diffInspected(createReport(event.attributes)));
  })
  .addAction('report', diffInspected, async (event, ctx) => {
    const found = event.attributes;
    if (found.findings.length === 0) {
      ctx.sendEvent(OutputEvent(found));
      return;
    }
    const ticket = await ctx.durableExecute({
      id: 'open-ticket',
      call: async (signal) => (await tickets().open(ticketOf(found), { idempotencyKey: ctx.runId, signal })).url,
      // A crash may have hidden the answer to a request that arrived: the service knows by the key.
      reconcile: async (call, signal) => (await tickets().findByKey(ctx.runId, signal))?.url ?? call(),
      retry: { maxAttempts: 4, initialMillis: 200, maxMillis: 2_000, factor: 2 },
    });
    ctx.sendEvent(OutputEvent({ ...found, ticket }));
  });
