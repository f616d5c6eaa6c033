import {
  type AgentDefinition,
  defineAction,
  defineAgent,
  defineEvent,
  definePrompt,
  EventType,
  ResourceType,
} from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const nothing = () => {};
const namesOf = ({ actions, resources }: AgentDefinition) => ({
  actions: actions.map(({ name }) => name),
  resources: resources.map(({ name }) => name),
});

describe('an agent under declaration', () => {
  it('stays as it is when something is added, so that it can be the base of several', () => {
    const base = defineAgent({ name: 'base' }).addAction('start', EventType.InputEvent, nothing);
    const withPrompt = base.addResource('tone', ResourceType.PROMPT, definePrompt('x'));
    const one = withPrompt.addAction('one', 'a', nothing);
    const two = withPrompt.addAction('two', 'b', nothing).addAction('three', 'c', nothing);
    expect(namesOf(base)).toEqual({ actions: ['start'], resources: [] });
    expect(namesOf(withPrompt)).toEqual({ actions: ['start'], resources: ['tone'] });
    expect(namesOf(one)).toEqual({ actions: ['start', 'one'], resources: ['tone'] });
    expect(namesOf(two)).toEqual({ actions: ['start', 'two', 'three'], resources: ['tone'] });
  });

  it('does not see what is done to the options afterwards', () => {
    const options = { name: 'a', input: z.string() };
    const agent = defineAgent(options);
    options.name = 'b';
    expect(agent.name).toBe('a');
  });

  it('keeps name, schemas and configuration through every step', () => {
    const input = z.string();
    const output = z.number();
    const config = { 'run.max-hops': 2 };
    const agent = defineAgent({ name: 'a', input, output, config })
      .addResource('p', ResourceType.PROMPT, definePrompt('x'))
      .addAction('b', EventType.InputEvent, nothing);
    expect(agent).toMatchObject({ name: 'a', input, output, config });
  });
});

describe('an action of its own file', () => {
  it('is added as if it had been written in place', () => {
    const created = defineEvent('created', z.object({ id: z.string() }));
    const base = defineAgent({ name: 'a' });
    const run = () => {};
    const inPlace = base.addAction('b', [EventType.InputEvent, created], run);
    const apart = base.addAction('b', defineAction(base, [EventType.InputEvent, created], run));
    expect(apart.actions).toEqual(inPlace.actions);
  });

  it('may be added twice, under two names', () => {
    const base = defineAgent({ name: 'a' });
    const action = defineAction(base, EventType.InputEvent, nothing);
    expect(namesOf(base.addAction('x', action).addAction('y', action)).actions).toEqual(['x', 'y']);
  });
});
