import type { Prompt } from './prompt.ts';

/** The kinds of resources. */
export const ResourceType = {
  /** A prompt template: `definePrompt(text)`. */
  PROMPT: 'prompt',
} as const;

export type ResourceTypeName = (typeof ResourceType)[keyof typeof ResourceType];

/** What is declared for each kind, and what `ctx.getResource` gives back. */
export interface ResourceKinds {
  readonly prompt: { readonly declaration: Prompt; readonly resource: Prompt };
}

export interface ResourceDeclaration<Kind extends ResourceTypeName = ResourceTypeName> {
  readonly name: string;
  readonly type: Kind;
  readonly declaration: ResourceKinds[Kind]['declaration'];
}

/** Names of an agent's resources by kind, as its type sees them. */
export type ResourceNames = { readonly [Kind in ResourceTypeName]?: string };

/** Names of one kind; `never` when none was added. */
export type NamesOf<Resources extends ResourceNames, Kind extends ResourceTypeName> = Resources[Kind] extends string
  ? Resources[Kind]
  : never;

/** `Resources` with one name more. */
export type WithResource<Resources extends ResourceNames, Kind extends ResourceTypeName, Name extends string> = Omit<
  Resources,
  Kind
> & {
  readonly [K in Kind]: NamesOf<Resources, Kind> | Name;
};
