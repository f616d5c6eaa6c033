import type { Subagent, SubagentDeclaration } from '../subagents/subagent-declaration.ts';
import type { Prompt } from './prompt.ts';

/** The kinds of resources. */
export const ResourceType = {
  /** A prompt template: `definePrompt(text)`. */
  PROMPT: 'prompt',
  /** A sub-agent: a setup class with its configuration. */
  AGENT: 'agent',
} as const;

export type ResourceTypeName = (typeof ResourceType)[keyof typeof ResourceType];

/** What is declared for each kind, and what `ctx.getResource` gives back. */
export interface ResourceKinds {
  readonly prompt: { readonly declaration: Prompt; readonly resource: Prompt };
  readonly agent: { readonly declaration: SubagentDeclaration; readonly resource: Subagent };
}

export interface ResourceDeclaration<Kind extends ResourceTypeName = ResourceTypeName> {
  readonly name: string;
  readonly type: Kind;
  readonly declaration: ResourceKinds[Kind]['declaration'];
}

/** An agent's resources by kind and name, as its type sees them. */
export type ResourceMap = { readonly [Kind in ResourceTypeName]: Readonly<Record<string, unknown>> };

/** Resources of any name: for actions that are wired to an agent by name. */
export type AnyResources = {
  readonly [Kind in ResourceTypeName]: Readonly<Record<string, ResourceKinds[Kind]['resource']>>;
};

/** An agent without resources has no names of any kind. */
// biome-ignore lint/complexity/noBannedTypes: an object without members is what is meant
export type NoResources = { readonly [Kind in ResourceTypeName]: {} };

/** Names of one kind; `never` when none was added. */
export type NamesOf<Resources extends ResourceMap, Kind extends ResourceTypeName> = keyof Resources[Kind] & string;

/** `Resources` with one more. */
export type WithResource<
  Resources extends ResourceMap,
  Kind extends ResourceTypeName,
  Name extends string,
  Resource,
> = Omit<Resources, Kind> & { readonly [K in Kind]: Resources[Kind] & { readonly [N in Name]: Resource } };
