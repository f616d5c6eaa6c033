import { defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import * as z from 'zod';
import { TestRunSetup, testRunPrompt } from './code-review/test-run-setup.ts';
import { TicketClient, type TicketDraft } from './remote/ticket-client.ts';
import { ticketServiceUrl } from './remote/ticket-service-url.ts';

// Read at each call: the module is also loaded where plans are compiled, without the function's environment.
const tickets = () => new TicketClient({ baseUrl: ticketServiceUrl(process.env) });

/** The first line of what the tests said is the title; it ends in a colon when details follow. */
const ticketOf = (tests: string): TicketDraft => ({
  title: `Code review: ${tests.split('\n')[0]?.replace(/:$/, '')}`,
  body: tests,
});

/** Has a diff tested by a remote service, without compute while that works, and opens a ticket for what it found. */
export const codeReview = defineAgent({
  name: 'code_review',
  input: z.object({ diff: z.string().min(1) }),
  output: z.object({ tests: z.string(), ticket: z.url() }),
})
  .addResource('test_runner', ResourceType.AGENT, {
    clazz: TestRunSetup,
    description: 'Runs the checks of the test runner on a diff.',
    inputSchema: testRunPrompt,
    statusPollIntervalMillis: 500,
    timeoutMillis: 600_000,
  })
  .addAction('delegate', EventType.InputEvent, async (event, ctx) => {
    const { diff } = event.input;
    const run = await ctx.getResource('test_runner', ResourceType.AGENT).submit({ diff }); // no function of ours runs for it while it waits: it is polled
    const tests = run.success ? run.result : `The tests did not run: ${run.errorMessage}`;
    const ticket = await ctx.durableExecute({
      id: 'open-ticket',
      call: async (signal) => {
        return (await tickets().open(ticketOf(tests), { idempotencyKey: ctx.runId, signal })).url;
      },
      // A crash may have hidden the answer to a request that arrived: the service knows by the key.
      reconcile: async (call, signal) => (await tickets().findByKey(ctx.runId, signal))?.url ?? call(),
      retry: { maxAttempts: 4, initialMillis: 200, maxMillis: 2_000, factor: 2 },
    });
    ctx.sendEvent(OutputEvent({ tests, ticket }));
  });
