import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import * as z from 'zod';
import { AgentStack } from '../../infra/agent-stack.ts';
import type { AgentStackProps } from '../../infra/agent-stack-props.ts';

export const REPOSITORY = resolve(import.meta.dirname, '../..');

/** The feature flags that `cdk` itself passes to the app. */
export const featureFlags: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(resolve(REPOSITORY, 'cdk.json'), 'utf8'),
).context;

export const echo = defineAgent({ name: 'echo', input: z.string(), output: z.string() }).addAction(
  'answer',
  EventType.InputEvent,
  (event, ctx) => ctx.sendEvent(OutputEvent(event.input)),
);

/** An app as `cdk` runs it, but without bundling: `bundles.test.ts` looks at the bundles. */
export const createApp = (props: AppProps = {}): App =>
  new App({ ...props, context: { ...featureFlags, 'aws:cdk:bundling-stacks': [] } });

/** Synthesizes one stack of its own app. */
export const synthStack = (props: Partial<AgentStackProps> = {}): Synthesized =>
  new Synthesized(new AgentStack(createApp(), 'Agents', { agents: [echo], ...props }));

// biome-ignore lint/suspicious/noExplicitAny: none is needed, templates are read as unknown JSON below
export interface Resource {
  readonly Type: string;
  readonly Properties: Json;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** JSON whose members may be looked up without knowing them. */
export interface Json {
  readonly [name: string]: Json & string & number & boolean & readonly Json[];
}

/** A template, and what tests ask of it. */
export class Synthesized {
  readonly template: Template;
  readonly resources: Readonly<Record<string, Resource>>;

  constructor(stack: AgentStack) {
    this.template = Template.fromStack(stack);
    this.resources = this.template.toJSON().Resources;
  }

  /** Logical ids and resources of a type. */
  ofType(...types: readonly string[]): readonly (readonly [string, Resource])[] {
    return Object.entries(this.resources).filter(([, { Type }]) => types.includes(Type));
  }
}
