// Programs with jobs at remote services. None is ever changed: a new behaviour is a new program.
import {
  AsyncSubagentSetup,
  EventType,
  OutputEvent,
  ResourceType,
  type RunStatus,
  SubagentCancelledError,
  type SubagentResult,
} from 'lambda-agents';
import { scripted } from 'lambda-agents/testing';
import { type CreateProgram, golden, HOUR, one, request } from './golden-program.ts';

const unforeseen = (): never => {
  throw new Error('A golden program scripts each of its sub-agents. Add this one to its "subagents".');
};

/** Stands for the class of a sub-agent, which is scripted. */
class Remote extends AsyncSubagentSetup {
  async callSubmitRequest(): Promise<void> {
    unforeseen();
  }
  async callQueryStatus(): Promise<RunStatus> {
    return unforeseen();
  }
  async callFetchResult(): Promise<SubagentResult<string>> {
    return unforeseen();
  }
}

const remotes = () =>
  golden()
    .addResource('quick', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 1_000 })
    .addResource('slow', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 500, timeoutMillis: 20_000 })
    .addResource('endless', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: 5_000 });
const subagents = {
  quick: scripted.completesAfter(2, 'green'),
  slow: scripted.neverEnds(),
  endless: scripted.neverEnds(),
};

export const REMOTE_PROGRAMS: Readonly<Record<string, CreateProgram>> = {
  'remote job': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const answer = await ctx.getResource('quick', ResourceType.AGENT).submit(event.input, { sessionId: 's' });
        ctx.sendEvent(OutputEvent(answer.result));
      }),
      { subagents },
    ),
  'remote jobs in parallel': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const quick = ctx.getResource('quick', ResourceType.AGENT);
        const slow = ctx.getResource('slow', ResourceType.AGENT).submit(event.input);
        const answers = await Promise.all([quick.submit(event.input), quick.submit(event.input), slow]);
        ctx.sendEvent(OutputEvent(answers.map(({ result, errorMessage }) => result ?? errorMessage)));
      }),
      { subagents },
    ),
  'remote race': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const slow = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
        const quick = ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
        const given = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
        given.cancel();
        ctx.sendEvent(OutputEvent((await Promise.race([slow, quick])).result));
      }),
      { subagents },
    ),
  'remote refusals': (effect) =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const given = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
        const failed = await ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
        given.cancel();
        const cancelled = await given.catch((error: unknown) => error instanceof SubagentCancelledError);
        await ctx.durableExecute({ id: 'note', call: () => effect('note') });
        const limited = await ctx.getResource('slow', ResourceType.AGENT).submit(event.input);
        ctx.sendEvent(OutputEvent([failed.success, failed.errorMessage, cancelled, limited.errorMessage]));
      }),
      { subagents: { ...subagents, quick: scripted.failsAfter(1, 'forbidden') } },
    ),
  'remote report': () =>
    one(
      remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
        const endless = ctx.getResource('endless', ResourceType.AGENT);
        const given = endless.submit(event.input, { sessionId: 'one' });
        const other = await ctx.getResource('slow', ResourceType.AGENT).submit('other');
        ctx.sendEvent(OutputEvent([(await given).result, other.success]));
      }),
      { subagents, reports: { endless: { result: { tests: 7 } } } },
    ),
  'remote job, large': () => ({
    agent: remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
      const answer = await ctx.getResource('quick', ResourceType.AGENT).submit(event.input);
      ctx.sendEvent(OutputEvent(String(answer.result).length));
    }),
    requests: [request({ text: 'y'.repeat(2_000) })],
    subagents: { ...subagents, quick: scripted.completesAfter(1, 'z'.repeat(70_000)) },
  }),
  'a run that is cancelled': () => ({
    agent: remotes().addAction('act', EventType.InputEvent, async (event, ctx) => {
      const endless = ctx.getResource('endless', ResourceType.AGENT).submit(event.input);
      const answer = await Promise.race([endless, ctx.waitForSignal('never')]);
      ctx.sendEvent(OutputEvent(answer));
    }),
    requests: [request({ n: 1 }), { body: { cancel: { requestId: 'r' } }, group: 'other', afterMillis: HOUR }],
    subagents,
  }),
};
