import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { afterAll } from 'vitest';
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

const assemblies = mkdtempSync(join(tmpdir(), 'assemblies-'));
afterAll(() => rmSync(assemblies, { recursive: true }));

/** An app as `cdk` runs it, but without bundling: `bundles.test.ts` looks at the bundles. */
export const createApp = (): App =>
  new App({
    outdir: mkdtempSync(join(assemblies, 'app-')),
    context: { ...featureFlags, 'aws:cdk:bundling-stacks': [] },
  });

/** Synthesizes one stack of its own app. */
export const synthStack = (props: Partial<AgentStackProps> = {}): Synthesized =>
  new Synthesized(new AgentStack(createApp(), 'Agents', { agents: [echo], ...props }));

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy: string | undefined;
  readonly updateReplacePolicy: string | undefined;
}

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});

const referenceSchema = z.union([
  z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }).transform((value) => value['Fn::GetAtt'][0]),
]);

/** The logical id that a `Ref` or `Fn::GetAtt` names. */
export const referenced = (value: unknown): string => referenceSchema.parse(value);

/** A template, and what tests ask of it. */
export class Synthesized {
  readonly template: Template;
  readonly resources: readonly Resource[];

  constructor(stack: AgentStack) {
    this.template = Template.fromStack(stack);
    const resources = z.record(z.string(), resourceSchema).parse(this.template.toJSON().Resources);
    this.resources = Object.entries(resources).map(([id, resource]) => ({
      id,
      type: resource.Type,
      properties: resource.Properties,
      deletionPolicy: resource.DeletionPolicy,
      updateReplacePolicy: resource.UpdateReplacePolicy,
    }));
  }

  ofType(...types: readonly string[]): readonly Resource[] {
    return this.resources.filter(({ type }) => types.includes(type));
  }

  /** The one resource whose logical id begins like this. */
  one(type: string, idPrefix: string): Resource {
    const found = this.ofType(type).filter(({ id }) => id.startsWith(idPrefix));
    const [first] = found;
    if (first === undefined || found.length > 1) throw new Error(`${found.length} resources ${type} ${idPrefix}*`);
    return first;
  }

  byId(id: string): Resource {
    const found = this.resources.find((resource) => resource.id === id);
    if (found === undefined) throw new Error(`There is no resource ${id}`);
    return found;
  }
}
