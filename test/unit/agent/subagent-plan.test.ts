import {
  AgentError,
  AsyncSubagentSetup,
  defineAgent,
  EventType,
  OutputEvent,
  ResourceType,
  RunStatus,
  type Subagent,
  type SubagentCall,
  type SubagentFuture,
  SubagentResult,
} from 'lambda-agents';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { compilePlan } from '../../../lib/agent/plan.ts';

interface Report {
  readonly passed: number;
}

let instances = 0;

class TestRun extends AsyncSubagentSetup.withConfig(
  z.object({ endpoint: z.url(), retries: z.int().min(0).default(2) }),
) {
  constructor(config: { endpoint: string; retries: number }) {
    super(config);
    instances += 1;
  }
  async callSubmitRequest(_call: SubagentCall): Promise<void> {}
  async callQueryStatus(_call: SubagentCall): Promise<RunStatus> {
    return RunStatus.completed();
  }
  async callFetchResult(_call: SubagentCall): Promise<SubagentResult<Report>> {
    return SubagentResult.ok({ passed: 17 });
  }
}

class Plain extends AsyncSubagentSetup {
  async callSubmitRequest(): Promise<void> {}
  async callQueryStatus(): Promise<RunStatus> {
    return RunStatus.completed();
  }
  async callFetchResult() {
    return SubagentResult.ok('text');
  }
}

class Refined extends AsyncSubagentSetup.withConfig(
  z.object({ a: z.string() }).refine(({ a }) => a !== 'no', 'a must not be no'),
) {
  async callSubmitRequest(): Promise<void> {}
  async callQueryStatus(): Promise<RunStatus> {
    return RunStatus.completed();
  }
  async callFetchResult() {
    return SubagentResult.ok('text');
  }
}

class Clashing extends AsyncSubagentSetup.withConfig(z.object({ timeoutMillis: z.number() })) {
  async callSubmitRequest(): Promise<void> {}
  async callQueryStatus(): Promise<RunStatus> {
    return RunStatus.completed();
  }
  async callFetchResult() {
    return SubagentResult.ok('text');
  }
}

class Unrelated {}

const endpoint = 'https://ci.example.com/jobs';
const given = { clazz: TestRun, endpoint };

/** What compiling says of a sub-agent that is declared like that, past the compiler. */
function refusal(declaration: unknown): AgentError {
  const agent = defineAgent({ name: 'review' })
    .addResource('tests', ResourceType.AGENT, declaration as typeof given)
    .addAction('ask', EventType.InputEvent, () => {});
  try {
    compilePlan(agent);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('a sub-agent that is refused when the plan is compiled', () => {
  it.each<[string, unknown, RegExp]>([
    ['an instance instead of a class', { clazz: new Plain(undefined) }, /must be a class .*an instance is not enough/s],
    ['an instance as the declaration', new Plain(undefined), /must be a class/],
    ['no class', { endpoint }, /clazz/],
    ['a class of another kind', { clazz: Unrelated, endpoint }, /extends AsyncSubagentSetup/],
    ['the base class itself', { clazz: AsyncSubagentSetup }, /extends AsyncSubagentSetup/],
    ['a function', { clazz: () => {}, endpoint }, /extends AsyncSubagentSetup/],
    ['a configuration that its refinement refuses', { clazz: Refined, a: 'no' }, /a must not be no/],
    ['a configuration with the name of an option', { clazz: Clashing }, /"timeoutMillis", which is an option of every/],
    [
      'a class without the hooks',
      { clazz: AsyncSubagentSetup.withConfig(z.object({})) },
      /must have the methods callSubmitRequest, callQueryStatus/,
    ],
    ['nothing', undefined, /clazz|object/],
    ['a text', 'tests', /clazz|object/],
    ['an unknown option', { ...given, statusPollInterval: 500 }, /statusPollInterval/],
    ['configuration that its class does not ask for', { clazz: Plain, endpoint }, /endpoint/],
    ['missing configuration', { clazz: TestRun }, /endpoint/],
    ['configuration that does not fit', { clazz: TestRun, endpoint: 'nowhere' }, /URL.*endpoint/s],
    ['an interval below 100 ms', { ...given, statusPollIntervalMillis: 99 }, /statusPollIntervalMillis/],
    ['an interval above a day', { ...given, statusPollIntervalMillis: 86_400_001 }, /statusPollIntervalMillis/],
    ['an interval that is no whole number', { ...given, statusPollIntervalMillis: 500.5 }, /statusPollIntervalMillis/],
    ['an interval that is no number', { ...given, statusPollIntervalMillis: '500' }, /statusPollIntervalMillis/],
    [
      'an interval that is not a number',
      { ...given, statusPollIntervalMillis: Number.NaN },
      /statusPollIntervalMillis/,
    ],
    ['a time limit of nothing', { ...given, timeoutMillis: 0 }, /timeoutMillis/],
    ['a time limit without end', { ...given, timeoutMillis: Number.POSITIVE_INFINITY }, /timeoutMillis/],
    ['an empty description', { ...given, description: '' }, /description/],
    ['a description that is no text', { ...given, description: 17 }, /description/],
    ['an empty input schema', { ...given, inputSchema: '' }, /inputSchema/],
    ['an input schema that is none', { ...given, inputSchema: { type: 'string' } }, /inputSchema/],
  ])('%s', (_what, declaration, told) => {
    const { code, message } = refusal(declaration);
    expect(code).toBe('INVALID_RESOURCE');
    expect(message).toContain('Sub-agent "tests" of agent "review" is not valid.');
    expect(message).toMatch(told);
  });

  it('tells everything that is wrong at once', () => {
    const { message } = refusal({ clazz: TestRun, timeoutMillis: -1, description: '', more: 1 });
    for (const told of ['endpoint', 'timeoutMillis', 'description', 'more']) expect(message).toContain(told);
  });

  it('names two of a name', () => {
    const agent = defineAgent({ name: 'review' })
      .addResource('tests', ResourceType.AGENT, given)
      .addResource('tests', ResourceType.AGENT, { clazz: Plain })
      .addAction('ask', EventType.InputEvent, () => {});
    expect(() => compilePlan(agent)).toThrow(expect.objectContaining({ code: 'DUPLICATE_RESOURCE' }));
  });
});

describe('a sub-agent in a plan', () => {
  const planned = (declaration: unknown) =>
    compilePlan(
      defineAgent({ name: 'review' })
        .addResource('tests', ResourceType.AGENT, declaration as typeof given)
        .addAction('ask', EventType.InputEvent, () => {}),
    ).subagents.get('tests');

  it('has the defaults of what is left out', () => {
    expect(planned(given)).toMatchObject({
      name: 'tests',
      intervalMillis: 500,
      timeoutMillis: undefined,
      description: undefined,
      inputSchema: undefined,
    });
  });

  it('has what stands beside its class', () => {
    const inputSchema = z.object({ diff: z.string() });
    expect(
      planned({
        ...given,
        description: 'Runs the tests.',
        inputSchema,
        statusPollIntervalMillis: 1_500,
        timeoutMillis: 60_000,
      }),
    ).toMatchObject({ description: 'Runs the tests.', inputSchema, intervalMillis: 1_500, timeoutMillis: 60_000 });
  });

  it.each([100, 86_400_000])('may be probed every %d ms', (statusPollIntervalMillis) => {
    expect(planned({ ...given, statusPollIntervalMillis })?.intervalMillis).toBe(statusPollIntervalMillis);
  });

  it('runs no code of the class before it is used, and makes one instance with the parsed configuration', () => {
    instances = 0;
    const subagent = planned(given);
    expect(instances).toBe(0);
    const setup = subagent?.setup();
    expect(subagent?.setup()).toBe(setup);
    expect(instances).toBe(1);
    expect(setup).toBeInstanceOf(TestRun);
    expect((setup as unknown as { config: unknown }).config).toEqual({ endpoint, retries: 2 });
  });
});

// Held by the compiler: a line below `@ts-expect-error` that compiles fails `npm run check`.
describe('the types of a sub-agent', () => {
  const base = defineAgent({ name: 'review', output: z.number() })
    .addResource('tests', ResourceType.AGENT, {
      ...given,
      inputSchema: z.object({ diff: z.string(), level: z.coerce.number().default(1) }),
    })
    .addResource('plain', ResourceType.AGENT, { clazz: Plain })
    .addResource('schema', ResourceType.AGENT, { clazz: Plain, inputSchema: '{"type":"object"}' });

  it('of a prompt is what its input schema takes', () => {
    base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const tests = ctx.getResource('tests', ResourceType.AGENT);
      expectTypeOf(tests).toEqualTypeOf<Subagent<{ diff: string; level?: unknown }, Report>>();
      await tests.submit({ diff: 'x' });
      await tests.submit({ diff: 'x', level: '3' }, { sessionId: 's' });
      // @ts-expect-error a member is missing
      await tests.submit({ level: 1 });
      // @ts-expect-error a member has another type
      await tests.submit({ diff: 1 });
      // @ts-expect-error there is no such member
      await tests.submit({ diff: 'x', more: 1 });
      // @ts-expect-error the prompt is missing
      await tests.submit();
      // @ts-expect-error there is no such option
      await tests.submit({ diff: 'x' }, { session: 's' });
    });
  });

  it('of a prompt without a zod schema is unknown', () => {
    base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      expectTypeOf(ctx.getResource('plain', ResourceType.AGENT).submit).parameter(0).toEqualTypeOf<unknown>();
      expectTypeOf(ctx.getResource('schema', ResourceType.AGENT).submit).parameter(0).toEqualTypeOf<unknown>();
    });
  });

  it('of a result is what callFetchResult answers, told apart by success', () => {
    base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const handle = ctx.getResource('tests', ResourceType.AGENT).submit({ diff: 'x' });
      expectTypeOf(handle).toEqualTypeOf<SubagentFuture<Report>>();
      const answer = await handle;
      expectTypeOf(answer.result).toEqualTypeOf<Report | undefined>();
      if (answer.success) {
        expectTypeOf(answer.result).toEqualTypeOf<Report>();
        expectTypeOf(answer.errorMessage).toEqualTypeOf<undefined>();
        ctx.sendEvent(OutputEvent(answer.result.passed));
      } else {
        expectTypeOf(answer.errorMessage).toEqualTypeOf<string>();
        // @ts-expect-error a failed answer has no result
        answer.result.passed;
      }
      expectTypeOf(answer.getResult(z.object({ passed: z.number() }))).toEqualTypeOf<{ passed: number }>();
      const plain = await ctx.getResource('plain', ResourceType.AGENT).submit('x');
      if (plain.success) expectTypeOf(plain.result).toEqualTypeOf<string>();
      // @ts-expect-error this agent sends numbers
      if (plain.success) ctx.sendEvent(OutputEvent(plain.result));
    });
  });

  it('of results in a combinator are kept apart', () => {
    base.addAction('ask', EventType.InputEvent, async (_event, ctx) => {
      const tests = ctx.getResource('tests', ResourceType.AGENT).submit({ diff: 'x' });
      const plain = ctx.getResource('plain', ResourceType.AGENT).submit('x');
      const [report, text] = await Promise.all([tests, plain]);
      expectTypeOf(report).toEqualTypeOf<SubagentResult<Report>>();
      expectTypeOf(text).toEqualTypeOf<SubagentResult<string>>();
    });
  });

  it('know the names of each kind', () => {
    base.addAction('ask', EventType.InputEvent, (_event, ctx) => {
      // @ts-expect-error no such sub-agent
      ctx.getResource('test', ResourceType.AGENT);
      // @ts-expect-error it is no prompt
      ctx.getResource('tests', ResourceType.PROMPT);
      // @ts-expect-error there is no such kind
      ctx.getResource('tests', 'tool');
    });
  });

  it('of a declaration ask for the class’s configuration and refuse anything else', () => {
    const review = defineAgent({ name: 'review' });
    // @ts-expect-error the endpoint is missing
    review.addResource('tests', ResourceType.AGENT, { clazz: TestRun });
    // @ts-expect-error the endpoint is a text
    review.addResource('tests', ResourceType.AGENT, { clazz: TestRun, endpoint: 17 });
    // @ts-expect-error an instance is no class
    review.addResource('tests', ResourceType.AGENT, { clazz: new Plain(undefined) });
    // @ts-expect-error an interval is a number
    review.addResource('tests', ResourceType.AGENT, { ...given, statusPollIntervalMillis: '1s' });
    // @ts-expect-error a sub-agent is no prompt
    review.addResource('tests', ResourceType.PROMPT, given);
  });

  it('of hooks are checked in the class', () => {
    class Wrong extends AsyncSubagentSetup {
      async callSubmitRequest(): Promise<void> {}
      // @ts-expect-error a status is one of RunStatus
      async callQueryStatus() {
        return 'COMPLETED';
      }
      // @ts-expect-error an answer is a SubagentResult
      async callFetchResult() {
        return 'text';
      }
    }
    expect(Wrong.prototype).toBeInstanceOf(AsyncSubagentSetup);
  });
});
