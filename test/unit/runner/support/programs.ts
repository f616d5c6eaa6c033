import fc from 'fast-check';
import {
  type AgentDefinition,
  defineAgent,
  defineEvent,
  EventType,
  OutputEvent,
  type RunnerContext,
} from 'lambda-agents';
import * as z from 'zod';

export type MemoryName = 'sensory' | 'shortTerm';

/** One step of an action; each changes its number, which later steps depend on. */
export type Step =
  | { readonly kind: 'call'; readonly id: string; readonly announced: boolean }
  /** A call that fails; the action catches it. */
  | { readonly kind: 'failing-call'; readonly id: string }
  /** Calls side by side. */
  | { readonly kind: 'calls'; readonly ids: readonly string[] }
  | { readonly kind: 'get'; readonly memory: MemoryName; readonly field: string }
  | { readonly kind: 'set'; readonly memory: MemoryName; readonly field: string }
  | { readonly kind: 'clear'; readonly memory: MemoryName; readonly field: string }
  | { readonly kind: 'sleep'; readonly millis: number }
  /** A signal that never comes. */
  | { readonly kind: 'timeout'; readonly millis: number }
  /** A signal that comes once for each such wait. */
  | { readonly kind: 'signal' }
  /** A call beside a sleep. */
  | { readonly kind: 'both'; readonly id: string; readonly millis: number }
  /** A call that wins over a sleep. */
  | { readonly kind: 'race'; readonly id: string }
  /** Throws at the first entry into the action's code. */
  | { readonly kind: 'stumble' }
  /** Sends the number on to an action further down. */
  | { readonly kind: 'send'; readonly to: number }
  | { readonly kind: 'output' };

/** Steps of each action; action 0 begins. */
export type Program = readonly (readonly Step[])[];

export const mix = (number: number, more: number): number => (number * 31 + more + 7) % 1_000_003;

/** What a durable call gives for the number at its start. */
export const resultOf = (id: string, number: number): number => mix(number, id.charCodeAt(0));

export const actionName = (index: number): string => `action-${index}`;

const carried = (index: number) => defineEvent(`to-${index}`, z.object({ number: z.number() }));

/** The signal that programs wait for, and its value. */
export const SIGNAL = { name: 'signal', value: 5 };
/** A sleep that no run lives to see the end of. */
const FOR_EVER = 60 * 86_400_000;

/** An agent that carries out the program on the number that it is given. */
export function agentOf(program: Program): AgentDefinition {
  const stumbled = new Set<string>();
  const base = defineAgent({ name: 'program', input: z.number(), output: z.number() });
  const run = async (index: number, id: string, start: number, ctx: RunnerContext<number>): Promise<void> => {
    let number = start;
    for (const [place, step] of (program[index] ?? []).entries()) {
      const stumble = `${ctx.runId} ${id} ${index} ${place}`;
      if (step.kind === 'stumble' && !stumbled.has(stumble)) {
        stumbled.add(stumble);
        throw new Error('stumbled');
      }
      number = await perform(step, number, ctx);
    }
  };
  return program.slice(1).reduce(
    (agent: typeof base, _steps, offset) =>
      agent.addAction(actionName(offset + 1), carried(offset + 1), (event, ctx) =>
        run(offset + 1, event.id, event.attributes.number, ctx),
      ),
    base.addAction(actionName(0), EventType.InputEvent, (event, ctx) => run(0, event.id, event.input, ctx)),
  );
}

async function perform(step: Step, number: number, ctx: RunnerContext<number>): Promise<number> {
  const call = (id: string, announced = false) =>
    ctx.durableExecute({
      id,
      args: number,
      call: () => resultOf(id, number),
      ...(announced ? { reconcile: () => resultOf(id, number) } : {}),
    });
  switch (step.kind) {
    case 'call':
      return mix(number, await call(step.id, step.announced));
    case 'failing-call':
      return ctx
        .durableExecute({ id: step.id, args: number, call: () => Promise.reject(new Error(String(number))) })
        .catch((error: Error) => mix(number, Number(error.message)));
    case 'calls':
      return (await Promise.all(step.ids.map((id) => call(id)))).reduce(mix, number);
    case 'get':
      return mix(number, (await ctx[`${step.memory}Memory`].get(step.field, z.number())) ?? -1);
    case 'set':
      ctx[`${step.memory}Memory`].set(step.field, number);
      return number;
    case 'clear':
      ctx[`${step.memory}Memory`].set(step.field, undefined);
      return number;
    case 'sleep':
      await ctx.sleep(step.millis);
      return mix(number, 3);
    case 'timeout':
      return mix(number, (await ctx.waitForSignal('never', { timeoutMillis: step.millis })) === undefined ? 4 : 0);
    case 'signal':
      return mix(number, (await ctx.waitForSignal(SIGNAL.name, { schema: z.number() })) ?? 0);
    case 'both': {
      const [made] = await Promise.all([call(step.id), ctx.sleep(step.millis)]);
      return mix(number, made);
    }
    case 'race':
      return mix(number, (await Promise.race([call(step.id), ctx.sleep(FOR_EVER, { id: 'for-ever' })])) ?? 0);
    case 'stumble':
      return number;
    case 'send':
      ctx.sendEvent(carried(step.to)({ number }));
      return mix(number, 1);
    case 'output':
      ctx.sendEvent(OutputEvent(number));
      return mix(number, 2);
  }
}

const id = fc.constantFrom('a', 'b', 'c');
const memory = fc.constantFrom<MemoryName>('sensory', 'shortTerm');
const field = fc.constantFrom('x', 'y');

const plainStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('call' as const), id, announced: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failing-call' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('calls' as const), ids: fc.array(id, { minLength: 2, maxLength: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get' as const), memory, field }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), memory, field }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), memory, field }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'stumble' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'output' as const }) },
);

const millis = fc.constantFrom(0, 500, 2_500, 70_000, 1_000_000);

const waitingStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: plainStep },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('sleep' as const, 'timeout' as const), millis }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'signal' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('both' as const), id, millis }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('race' as const), id }) },
);

/** Actions that follow each other, one at a time. */
const chainsOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<Program> =>
  fc
    .array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
    .map((actions) =>
      actions.map((steps, index) =>
        index + 1 < actions.length
          ? [...steps, { kind: 'send' as const, to: index + 1 }]
          : [...steps, { kind: 'output' as const }],
      ),
    );

/** Actions that send to any number of actions further down, so that several are under way at once. */
const treesOf = (step: fc.Arbitrary<Step>): fc.Arbitrary<Program> =>
  fc.integer({ min: 2, max: 4 }).chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, index) => {
        if (index + 1 === count) return fc.array(step, { minLength: 1, maxLength: 5 });
        const to = fc.integer({ min: index + 1, max: count - 1 });
        const send = fc.record({ kind: fc.constant('send' as const), to });
        return fc.array(fc.oneof({ weight: 3, arbitrary: step }, { weight: 2, arbitrary: send }), {
          minLength: 1,
          maxLength: 5,
        });
      }),
    ),
  );

export const chains = chainsOf(plainStep);
export const trees = treesOf(plainStep);
/** The same with waits. */
export const waitingChains = chainsOf(waitingStep);
export const waitingTrees = treesOf(waitingStep);
