import {
  type AgentDefinition,
  AgentError,
  defineAgent,
  defineEvent,
  definePrompt,
  EventType,
  ResourceType,
} from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { compilePlan, compilePlans } from '../../../lib/agent/plan.ts';

const nothing = () => {};
const agent = (name = 'review') => defineAgent({ name }).addAction('start', EventType.InputEvent, nothing);

/** The error that a declaration ends in; what the types would refuse comes from JavaScript or YAML. */
const refusal = (declare: () => unknown): AgentError => {
  try {
    declare();
  } catch (error) {
    expect(error).toBeInstanceOf(AgentError);
    return error as AgentError;
  }
  throw new Error('Nothing was refused.');
};
const refusalOf = (...agents: readonly unknown[]) => refusal(() => compilePlans(agents as readonly AgentDefinition[]));

describe('what a plan is refused for, with the fact and the remedy', () => {
  const twice = defineEvent('twice', z.object({}));

  it.each([
    ['a deployment without agents', [], 'INVALID_AGENT', 'The deployment has no agents. List at least one.'],
    [
      'an agent that is not there, as in files that import each other',
      [agent('a'), undefined],
      'INVALID_AGENT',
      'Agent 2 of the deployment is undefined. List what defineAgent gives; files that import each other see nothing of each other yet.',
    ],
    [
      'something that is no agent',
      [{ name: 'review' }],
      'INVALID_AGENT',
      'Agent 1 of the deployment is no agent. List what defineAgent gives; files that import each other see nothing of each other yet.',
    ],
    [
      'two agents of one name',
      [agent(), agent()],
      'DUPLICATE_AGENT',
      'Two agents are named "review". Rename one of them.',
    ],
    [
      'an agent without actions',
      [defineAgent({ name: 'review' })],
      'INVALID_AGENT',
      'Agent "review" has no actions. Add one with .addAction(name, EventType.InputEvent, …).',
    ],
    [
      'an agent that no request could start',
      [defineAgent({ name: 'review' }).addAction('later', twice, nothing)],
      'INVALID_AGENT',
      'No action of agent "review" is triggered by EventType.InputEvent, so no request could start one. Add that trigger to one.',
    ],
    [
      'two actions of one name',
      [agent().addAction('start', twice, nothing)],
      'DUPLICATE_ACTION',
      'Agent "review" defines action "start" twice. Rename one of them.',
    ],
    [
      'an action without a function',
      [agent().addAction('more', twice, undefined as never)],
      'INVALID_AGENT',
      'Action "more" of agent "review" has no function. Give it as the last argument.',
    ],
    [
      'an action without a trigger',
      [agent().addAction('more', [], nothing)],
      'INVALID_AGENT',
      'Action "more" of agent "review" has no trigger. Give an event type or a custom event.',
    ],
    [
      'an action whose trigger is null',
      [agent().addAction('more', null as never, nothing)],
      'UNKNOWN_EVENT_TYPE',
      'Action "more" of agent "review" has the trigger null, which is no event type. Use one of EventType, or a custom event of defineEvent.',
    ],
    [
      'an action whose trigger is undefined, as a misspelt EventType',
      [agent().addAction('more', undefined as never, nothing)],
      'UNKNOWN_EVENT_TYPE',
      'Action "more" of agent "review" has the trigger undefined, which is no event type. Use one of EventType, or a custom event of defineEvent.',
    ],
    [
      'an action whose function stands where its trigger should',
      [agent().addAction('more', nothing as never, nothing)],
      'UNKNOWN_EVENT_TYPE',
      'Action "more" of agent "review" has the trigger undefined, which is no event type. Use one of EventType, or a custom event of defineEvent.',
    ],
    [
      'an action triggered by outputs',
      [agent().addAction('more', EventType.OutputEvent, nothing)],
      'INVALID_AGENT',
      'Action "more" of agent "review" is triggered by output events, which go out and trigger nothing. Send a custom event beside the output.',
    ],
    [
      'a resource of a kind that there is not',
      [agent().addResource('x', 'model' as never, definePrompt('x') as never)],
      'INVALID_RESOURCE',
      'Resource "x" of agent "review" has the unknown type "model". Use one of ResourceType.',
    ],
    [
      'two resources of one kind and name',
      [
        agent()
          .addResource('x', ResourceType.PROMPT, definePrompt('1'))
          .addResource('x', ResourceType.PROMPT, definePrompt('2')),
      ],
      'DUPLICATE_RESOURCE',
      'Agent "review" defines prompt "x" twice. Rename one of them.',
    ],
    [
      'a prompt that is no prompt',
      [agent().addResource('x', ResourceType.PROMPT, 'Review {diff}' as never)],
      'INVALID_RESOURCE',
      'Resource "x" of agent "review" is no prompt. Declare it with definePrompt(text).',
    ],
    [
      'an input that is no schema',
      [
        defineAgent({ name: 'review', input: { diff: 'string' } as never }).addAction(
          'start',
          EventType.InputEvent,
          nothing,
        ),
      ],
      'INVALID_AGENT',
      'The input of agent "review" is no schema. Give a zod schema, for instance z.object({ … }).',
    ],
    [
      'an output that is no schema',
      [defineAgent({ name: 'review', output: String as never }).addAction('start', EventType.InputEvent, nothing)],
      'INVALID_AGENT',
      'The output of agent "review" is no schema. Give a zod schema, for instance z.object({ … }).',
    ],
  ])('%s', (_name, agents, code, message) => {
    expect(refusalOf(...agents)).toMatchObject({ code, message });
  });

  it.each(['', ' ', '_review', '__proto__', '.x', '-x', 'a b', 'a/b', 'a#b', 'ä', 'a\n', 'a'.repeat(65), 7, null])(
    'a name like %j, of an agent, an action or a resource',
    (name) => {
      const named = name as string;
      const remedy = 'Use 1 to 64 letters, digits, "_", "." and "-", beginning with a letter or digit.';
      const shown = JSON.stringify(name) ?? 'undefined';
      expect(refusalOf(agent(named))).toMatchObject({
        code: 'INVALID_AGENT',
        message: `The agent is named ${shown}. ${remedy}`,
      });
      expect(refusalOf(agent().addAction(named, EventType.InputEvent, nothing))).toMatchObject({
        code: 'INVALID_AGENT',
        message: `An action of agent "review" is named ${shown}. ${remedy}`,
      });
      expect(refusalOf(agent().addResource(named, ResourceType.PROMPT, definePrompt('x')))).toMatchObject({
        code: 'INVALID_RESOURCE',
        message: `A resource of agent "review" is named ${shown}. ${remedy}`,
      });
    },
  );

  it.each([
    'order created',
    'order..created',
    '.order',
    '_custom',
    'order.created ',
    'true',
    'null',
    'EventType.Foo',
    'a'.repeat(129),
  ])('the trigger %j, which is no event type', (trigger) => {
    expect(refusalOf(agent().addAction('more', trigger, nothing))).toMatchObject({
      code: 'UNKNOWN_EVENT_TYPE',
      message: `Action "more" of agent "review" has the trigger ${JSON.stringify(trigger)}, which is no event type. Use one of EventType, or a custom event of defineEvent.`,
    });
  });

  it('the first bad trigger of several', () => {
    const mixed = agent().addAction('more', [EventType.InputEvent, twice, 'no type'], nothing);
    expect(refusalOf(mixed)).toMatchObject({ code: 'UNKNOWN_EVENT_TYPE' });
  });

  it('an unknown option of defineAgent, with the nearest known one', () => {
    expect(refusal(() => defineAgent({ name: 'review', inputs: z.string() } as never))).toMatchObject({
      code: 'INVALID_AGENT',
      message: 'Agent "review" has the unknown option "inputs". Did you mean "input"?',
    });
  });
});

describe('names that every object has are plain names', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', 'then'];

  it.each(names)('%s', (name) => {
    const event = defineEvent(name, z.object({}));
    const declared = defineAgent({ name })
      .addResource(name, ResourceType.PROMPT, definePrompt('x'))
      .addAction(name, [EventType.InputEvent, event], nothing);
    const plans = compilePlans([declared]);
    expect(
      plans
        .get(name)
        ?.actionsByType.get(name)
        ?.map((action) => action.name),
    ).toEqual([name]);
    expect(plans.get(name)?.resources.get('prompt')?.get(name)?.name).toBe(name);
  });

  it.each([...names, '__proto__'])('%s is not found where nobody declared it', (name) => {
    const plan = compilePlans([agent()]).get('review');
    expect(compilePlans([agent()]).get(name)).toBeUndefined();
    expect(plan?.actionsByType.get(name)).toBeUndefined();
    expect(plan?.resources.get('prompt')?.get(name)).toBeUndefined();
  });
});

describe('a compiled plan', () => {
  const created = defineEvent('order.created', z.object({ id: z.string() }));
  const declared = defineAgent({ name: 'orders', input: z.string(), output: z.number(), config: { 'run.max-hops': 7 } })
    .addResource('tone', ResourceType.PROMPT, definePrompt('Be kind.'))
    .addAction('create', EventType.InputEvent, nothing)
    .addAction('audit', [created, EventType.InputEvent, created, 'order.created'], nothing)
    .addAction('ship', 'order.created', nothing);
  const plan = compilePlan(declared);

  it('lists the actions of an event in the order of their declaration, each once', () => {
    expect(plan.actionsByType.get(EventType.InputEvent)?.map(({ name }) => name)).toEqual(['create', 'audit']);
    expect(plan.actionsByType.get('order.created')?.map(({ name }) => name)).toEqual(['audit', 'ship']);
    expect(plan.actions.map(({ name }) => name)).toEqual(['create', 'audit', 'ship']);
  });

  it('keeps schemas, configuration and resources', () => {
    expect(plan.input).toBe(declared.input);
    expect(plan.output).toBe(declared.output);
    expect(plan.config).toMatchObject({ 'run.max-hops': 7, 'run.max-attempts': 5 });
    expect(plan.resources.get('prompt')?.get('tone')?.declaration).toMatchObject({ text: 'Be kind.' });
  });

  it('has a digest of names and triggers, and of nothing that differs between two compilations', () => {
    const same = () => defineAgent({ name: 'a' }).addAction('x', EventType.InputEvent, () => {});
    expect(compilePlan(same()).digest).toBe(compilePlan(same()).digest);
    expect(compilePlan(same()).digest).not.toBe(compilePlan(same().addAction('y', created, nothing)).digest);
    expect(compilePlan(same()).digest).not.toBe(
      compilePlan(same().addResource('p', ResourceType.PROMPT, definePrompt('x'))).digest,
    );
  });

  it('lets the agent win over the deployment', () => {
    const plans = compilePlans([declared, agent()], { 'run.max-hops': 3, 'run.max-attempts': 2 });
    expect(plans.get('orders')?.config).toMatchObject({ 'run.max-hops': 7, 'run.max-attempts': 2 });
    expect(plans.get('review')?.config).toMatchObject({ 'run.max-hops': 3, 'run.max-attempts': 2 });
  });
});
