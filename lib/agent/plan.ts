import type * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { isEventType } from '../events/define-event.ts';
import { EventType } from '../events/event.ts';
import { digestJson } from '../values/digest.ts';
import { type Config, type ConfigInput, resolveConfig } from './config.ts';
import type { ActionDeclaration, ActionFunction, AgentDefinition } from './define-agent.ts';
import { type ResourceDeclaration, ResourceType, type ResourceTypeName } from './resource.ts';
import type { Trigger } from './trigger.ts';

export interface PlannedAction {
  readonly name: string;
  /** Exact event types, any of which starts the action. */
  readonly eventTypes: readonly string[];
  readonly run: ActionFunction;
}

/** An agent that passed every check that needs no run. */
export interface AgentPlan {
  readonly name: string;
  readonly input: z.ZodType | undefined;
  readonly output: z.ZodType | undefined;
  readonly config: Config;
  readonly actions: readonly PlannedAction[];
  /** Actions by event type, in declaration order. */
  readonly actionsByType: ReadonlyMap<string, readonly PlannedAction[]>;
  /** Resources by kind and name. */
  readonly resources: ReadonlyMap<ResourceTypeName, ReadonlyMap<string, ResourceDeclaration>>;
  /** Digest of names and triggers: tells two versions of an agent apart in records. */
  readonly digest: string;
}

export type PlanSet = ReadonlyMap<string, AgentPlan>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/**
 * Compiles the agents of a deployment.
 * @throws AgentError with the fact and the remedy for the first thing that is wrong
 */
export function compilePlans(agents: readonly AgentDefinition[], config?: ConfigInput): PlanSet {
  if (agents.length === 0) throw new AgentError('INVALID_AGENT', 'The deployment has no agents. List at least one.');
  const plans = new Map<string, AgentPlan>();
  for (const agent of agents) {
    const plan = compilePlan(agent, config);
    if (plans.has(plan.name))
      throw new AgentError('DUPLICATE_AGENT', `Two agents are named "${plan.name}". Rename one of them.`);
    plans.set(plan.name, plan);
  }
  return plans;
}

/** Compiles one agent over the deployment's configuration. */
export function compilePlan(agent: AgentDefinition, deploymentConfig?: ConfigInput): AgentPlan {
  checkName('The agent', agent.name);
  const config = resolveConfig(`The configuration of agent "${agent.name}"`, deploymentConfig, agent.config);
  const actions = planActions(agent);
  const resources = planResources(agent);
  const actionsByType = new Map<string, PlannedAction[]>();
  for (const action of actions) {
    for (const type of action.eventTypes) actionsByType.set(type, [...(actionsByType.get(type) ?? []), action]);
  }
  const digest = digestJson({
    actions: actions.map(({ name, eventTypes }) => ({ name, eventTypes })),
    resources: agent.resources.map(({ name, type }) => ({ name, type })),
  });
  return {
    name: agent.name,
    input: agent.input,
    output: agent.output,
    config,
    actions,
    actionsByType,
    resources,
    digest,
  };
}

function checkName(what: string, name: string): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new AgentError(
      'INVALID_AGENT',
      `${what} is named ${JSON.stringify(name)}. Use 1 to 64 letters, digits, "_", "." and "-", beginning with a letter or digit.`,
    );
  }
}

function planActions(agent: AgentDefinition): readonly PlannedAction[] {
  if (agent.actions.length === 0) {
    throw new AgentError(
      'INVALID_AGENT',
      `Agent "${agent.name}" has no actions. Add one with .addAction(name, EventType.InputEvent, …).`,
    );
  }
  const names = new Set<string>();
  for (const { name } of agent.actions) {
    checkName(`An action of agent "${agent.name}"`, name);
    if (names.has(name))
      throw new AgentError(
        'DUPLICATE_ACTION',
        `Agent "${agent.name}" defines action "${name}" twice. Rename one of them.`,
      );
    names.add(name);
  }
  const actions = agent.actions.map((action) => planAction(agent.name, action));
  if (!actions.some(({ eventTypes }) => eventTypes.includes(EventType.InputEvent))) {
    throw new AgentError(
      'INVALID_AGENT',
      `No action of agent "${agent.name}" is triggered by EventType.InputEvent, so no request could start one. Add that trigger to one.`,
    );
  }
  return actions;
}

function planAction(agent: string, { name, triggers, run }: ActionDeclaration): PlannedAction {
  const where = `Action "${name}" of agent "${agent}"`;
  if (typeof run !== 'function')
    throw new AgentError('INVALID_AGENT', `${where} has no function. Give it as the last argument.`);
  const list: readonly unknown[] = Array.isArray(triggers) ? triggers : [triggers];
  if (list.length === 0)
    throw new AgentError('INVALID_AGENT', `${where} has no trigger. Give an event type or a custom event.`);
  const eventTypes = [...new Set(list.map((trigger) => eventTypeOf(where, trigger as Trigger | undefined)))];
  return { name, eventTypes, run };
}

function eventTypeOf(where: string, trigger: Trigger | undefined): string {
  const type = typeof trigger === 'function' ? trigger.type : trigger;
  if (type === EventType.OutputEvent) {
    throw new AgentError(
      'INVALID_AGENT',
      `${where} is triggered by output events, which go out and trigger nothing. Send a custom event beside the output.`,
    );
  }
  if (type === EventType.InputEvent) return type;
  if (typeof type === 'string' && isEventType(type)) return type;
  throw new AgentError(
    'UNKNOWN_EVENT_TYPE',
    `${where} has the trigger ${JSON.stringify(type) ?? String(type)}, which is no event type. Use one of EventType, or a custom event of defineEvent.`,
  );
}

function planResources(agent: AgentDefinition): AgentPlan['resources'] {
  const known = new Set<string>(Object.values(ResourceType));
  const resources = new Map<ResourceTypeName, Map<string, ResourceDeclaration>>();
  for (const resource of agent.resources) {
    checkName(`A resource of agent "${agent.name}"`, resource.name);
    if (!known.has(resource.type)) {
      throw new AgentError(
        'INVALID_RESOURCE',
        `Resource "${resource.name}" of agent "${agent.name}" has the unknown type ${JSON.stringify(resource.type)}. Use one of ResourceType.`,
      );
    }
    const ofKind = resources.get(resource.type) ?? new Map<string, ResourceDeclaration>();
    if (ofKind.has(resource.name)) {
      throw new AgentError(
        'DUPLICATE_RESOURCE',
        `Agent "${agent.name}" defines ${resource.type} "${resource.name}" twice. Rename one of them.`,
      );
    }
    resources.set(resource.type, ofKind.set(resource.name, resource));
  }
  return resources;
}
