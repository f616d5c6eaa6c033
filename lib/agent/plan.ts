import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { isEventType } from '../events/define-event.ts';
import { EventType } from '../events/event.ts';
import { type PlannedSubagent, planSubagent } from '../subagents/plan-subagent.ts';
import { digestJson } from '../values/digest.ts';
import { type Config, type ConfigInput, resolveConfig } from './config.ts';
import type { ActionDeclaration, ActionFunction, AgentDefinition } from './define-agent.ts';
import { checkName } from './plan-names.ts';
import { type PlannedResources, planResources } from './plan-resources.ts';
import { ResourceType } from './resource.ts';
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
  readonly resources: PlannedResources;
  /** By name. */
  readonly subagents: ReadonlyMap<string, PlannedSubagent>;
  /** Digest of names and triggers: tells two versions of an agent apart in records. */
  readonly digest: string;
}

/** The agents of a deployment, by name. */
export class PlanSet extends Map<string, AgentPlan> {
  readonly #deploymentConfig: ConfigInput | undefined;

  constructor(plans: readonly AgentPlan[], deploymentConfig: ConfigInput | undefined) {
    super(plans.map((plan) => [plan.name, plan]));
    this.#deploymentConfig = deploymentConfig;
  }

  /** What holds for the runs of an agent, also of one that is not deployed any more. */
  configOf(agent: string): Config {
    return this.get(agent)?.config ?? resolveConfig('The configuration', this.#deploymentConfig);
  }
}

/**
 * Compiles the agents of a deployment.
 * @throws AgentError with the fact and the remedy for the first thing that is wrong
 */
export function compilePlans(agents: readonly AgentDefinition[], config?: ConfigInput): PlanSet {
  if (agents.length === 0) throw new AgentError('INVALID_AGENT', 'The deployment has no agents. List at least one.');
  const plans: AgentPlan[] = [];
  for (const [index, agent] of agents.entries()) {
    checkDefinition(agent, index + 1);
    const plan = compilePlan(agent, config);
    if (plans.some(({ name }) => name === plan.name))
      throw new AgentError('DUPLICATE_AGENT', `Two agents are named "${plan.name}". Rename one of them.`);
    plans.push(plan);
  }
  return new PlanSet(plans, config);
}

/** Compiles one agent over the deployment's configuration. */
export function compilePlan(agent: AgentDefinition, deploymentConfig?: ConfigInput): AgentPlan {
  checkName('INVALID_AGENT', 'The agent', agent.name);
  checkSchema(agent.name, 'input', agent.input);
  checkSchema(agent.name, 'output', agent.output);
  const config = resolveConfig(`The configuration of agent "${agent.name}"`, deploymentConfig, agent.config);
  const actions = planActions(agent);
  const resources = planResources(agent.name, agent.resources);
  const subagents = new Map(
    Array.from(resources.get(ResourceType.AGENT)?.values() ?? [], ({ name, declaration }) => [
      name,
      planSubagent(agent.name, name, declaration),
    ]),
  );
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
    subagents,
    digest,
  };
}

function checkDefinition(agent: AgentDefinition | undefined, position: number): void {
  if (agent !== undefined && Array.isArray(agent.actions) && Array.isArray(agent.resources)) return;
  throw new AgentError(
    'INVALID_AGENT',
    `Agent ${position} of the deployment is ${agent === undefined ? 'undefined' : 'no agent'}. List what defineAgent gives; files that import each other see nothing of each other yet.`,
  );
}

function checkSchema(agent: string, what: 'input' | 'output', schema: z.ZodType | undefined): void {
  if (schema === undefined || schema instanceof z.ZodType) return;
  throw new AgentError(
    'INVALID_AGENT',
    `The ${what} of agent "${agent}" is no schema. Give a zod schema, for instance z.object({ … }).`,
  );
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
    checkName('INVALID_AGENT', `An action of agent "${agent.name}"`, name);
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
