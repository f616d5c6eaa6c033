import type * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import type { PromptOf, ResultOf, Subagent, SubagentDeclaration } from '../subagents/subagent-declaration.ts';
import type { SetupClass } from '../subagents/subagent-setup.ts';
import type { ConfigInput } from './config.ts';
import { nearestName } from './nearest-name.ts';
import type { Prompt } from './prompt.ts';
import type {
  NoResources,
  ResourceDeclaration,
  ResourceMap,
  ResourceType,
  ResourceTypeName,
  WithResource,
} from './resource.ts';
import type { RunnerContext } from './runner-context.ts';
import type { EventOf, Triggers } from './trigger.ts';

export interface AgentOptions<Input extends z.ZodType, Output extends z.ZodType> {
  /** Unique in the deployment: letters, digits, `_`, `-` and `.`, at most 64 characters. */
  readonly name: string;
  /** What a request's `input` must fit. @default any JSON */
  readonly input?: Input;
  /** What each `OutputEvent` must fit. @default any JSON */
  readonly output?: Output;
  /** This agent's configuration; it wins over the deployment's. */
  readonly config?: ConfigInput;
}

/** An action's code. Returns nothing: it sends events. */
export type ActionFunction = (event: never, ctx: never) => void | Promise<void>;

export interface ActionDeclaration {
  readonly name: string;
  readonly triggers: Triggers;
  readonly run: ActionFunction;
}

/** An agent as it was declared. `compilePlan` checks it. */
export interface AgentDefinition {
  readonly name: string;
  readonly input: z.ZodType | undefined;
  readonly output: z.ZodType | undefined;
  readonly config: ConfigInput | undefined;
  readonly resources: readonly ResourceDeclaration[];
  readonly actions: readonly ActionDeclaration[];
}

/** An action that is written in a file of its own: `defineAction`. It fits every agent that has what it may use. */
export interface DefinedAction<T extends Triggers, Input, Output, Resources extends ResourceMap> {
  readonly triggers: T;
  readonly run: (event: EventOf<T, Input>, ctx: RunnerContext<Output, Resources>) => void | Promise<void>;
  /** Only a type: what the agent must have. */
  readonly uses?: (resources: Resources) => void;
}

/** An agent under declaration: each call gives a new one, so a part of it can be the base of several. */
export interface AgentBuilder<Input, OutputInput, Resources extends ResourceMap> extends AgentDefinition {
  /**
   * Adds a prompt: the actions below get it by its name.
   * @example .addResource('tone', ResourceType.PROMPT, definePrompt('Answer in two friendly sentences.'))
   */
  addResource<const Name extends string>(
    name: Name,
    type: typeof ResourceType.PROMPT,
    prompt: Prompt,
  ): AgentBuilder<Input, OutputInput, WithResource<Resources, typeof ResourceType.PROMPT, Name, Prompt>>;
  /**
   * Adds a sub-agent: the actions below delegate to it by its name.
   * @example .addResource('test_runner', ResourceType.AGENT, { clazz: TestRunSetup, endpoint: 'https://ci.example.com/jobs' })
   */
  addResource<
    const Name extends string,
    Clazz extends SetupClass,
    InputSchema extends z.ZodType | string = z.ZodType | string,
  >(
    name: Name,
    type: typeof ResourceType.AGENT,
    subagent: SubagentDeclaration<Clazz, InputSchema>,
  ): AgentBuilder<
    Input,
    OutputInput,
    WithResource<Resources, typeof ResourceType.AGENT, Name, Subagent<PromptOf<InputSchema>, ResultOf<Clazz>>>
  >;
  /**
   * Adds an action: code that runs for each event that one of its triggers names. Of several triggers `event` is the union.
   * @example .addAction('answer', EventType.InputEvent, (event, ctx) => ctx.sendEvent(OutputEvent(event.input)))
   */
  addAction<const T extends Triggers>(
    name: string,
    trigger: T,
    run: (event: EventOf<T, Input>, ctx: RunnerContext<OutputInput, Resources>) => void | Promise<void>,
  ): AgentBuilder<Input, OutputInput, Resources>;
  /** Adds an action that is written in a file of its own. @example base.addAction('assess', assess) */
  addAction<T extends Triggers>(
    name: string,
    action: DefinedAction<T, Input, OutputInput, Resources>,
  ): AgentBuilder<Input, OutputInput, Resources>;
}

/** The context that the actions of an agent get. @example type Ctx = ContextOf<typeof base>; */
export type ContextOf<Agent> =
  Agent extends AgentBuilder<infer _Input, infer Output, infer Resources> ? RunnerContext<Output, Resources> : never;

const OPTIONS: readonly string[] = ['name', 'input', 'output', 'config'] satisfies readonly (keyof AgentOptions<
  z.ZodType,
  z.ZodType
>)[];

/**
 * Declares an agent. What is checked without a run is checked when its plan is compiled, at `cdk synth` at the latest.
 * @throws AgentError `INVALID_AGENT` for an option that there is not
 * @example
 * export const echo = defineAgent({ name: 'echo', input: z.string(), output: z.string() })
 *   .addAction('answer', EventType.InputEvent, (event, ctx) => ctx.sendEvent(OutputEvent(event.input)));
 */
export function defineAgent<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>(
  options: AgentOptions<Input, Output>,
): AgentBuilder<z.output<Input>, z.input<Output>, NoResources> {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new AgentError(
      'INVALID_AGENT',
      `Agent "${options.name}" has the unknown option "${unknown}". Did you mean "${nearestName(unknown, OPTIONS)}"?`,
    );
  }
  return build({
    name: options.name,
    input: options.input,
    output: options.output,
    config: options.config,
    resources: [],
    actions: [],
  });
}

/**
 * Writes an action apart from its agent; `base` gives it its types.
 * @example export const assess = defineAction(base, EventType.InputEvent, (event, ctx) => ctx.sendEvent(OutputEvent('ok')));
 */
export function defineAction<Input, Output, Resources extends ResourceMap, const T extends Triggers>(
  _base: AgentBuilder<Input, Output, Resources>,
  trigger: T,
  run: (event: EventOf<T, Input>, ctx: RunnerContext<Output, Resources>) => void | Promise<void>,
): DefinedAction<T, Input, Output, Resources> {
  return { triggers: trigger, run };
}

function build<Input, Output, Resources extends ResourceMap>(
  definition: AgentDefinition,
): AgentBuilder<Input, Output, Resources> {
  const builder = {
    ...definition,
    addResource: (name: string, type: ResourceTypeName, declaration: ResourceDeclaration['declaration']) =>
      build({ ...definition, resources: [...definition.resources, { name, type, declaration }] }),
    addAction: (name: string, action: Triggers | AnyDefinedAction, run?: ActionFunction) =>
      build({ ...definition, actions: [...definition.actions, actionOf(name, action, run)] }),
  };
  return builder as AgentBuilder<Input, Output, Resources>;
}

/** A defined action whatever its agent is. */
type AnyDefinedAction = Pick<ActionDeclaration, 'triggers' | 'run'>;

function actionOf(
  name: string,
  action: Triggers | AnyDefinedAction,
  run: ActionFunction | undefined,
): ActionDeclaration {
  if (typeof action === 'object' && action !== null && 'run' in action)
    return { name, triggers: action.triggers, run: action.run };
  return { name, triggers: action as Triggers, run: run as ActionFunction };
}
