import type { LocalResourceType, NamingContext, ResolvedResource, ResourceIdentity } from './local-resource.ts';
import { localStackError } from './local-stack-error.ts';
import { LOCAL_ACCOUNT, localArn, physicalName } from './physical-names.ts';
import { type ReferenceTargets, resolveIntrinsics } from './resolve-intrinsics.ts';
import { IGNORED_RESOURCE_TYPES, RESOURCE_TYPES } from './resource-types.ts';
import type { Template, TemplateResource } from './template.ts';

export interface PlannedResource extends ResolvedResource {
  readonly type: string;
  readonly local: LocalResourceType;
}

export interface IgnoredResource {
  readonly logicalId: string;
  readonly type: string;
  readonly reason: string;
}

/** Everything that a template makes of this machine, before anything is created. */
export interface StackPlan {
  /** In the order in which they are to be created. */
  readonly resources: readonly PlannedResource[];
  readonly ignored: readonly IgnoredResource[];
  readonly outputs: Readonly<Record<string, string>>;
}

const PHASES: readonly LocalResourceType['phase'][] = ['data', 'function', 'trigger'];

/** Decides what runs here, under which names. A type that matters at run time and is unknown here is an error that names it. */
export function planStack(template: Template, context: NamingContext): StackPlan {
  const declared = Object.entries(template.Resources).map(([logicalId, resource]) => declare(logicalId, resource));
  const unknown = declared.filter(({ type }) => !(type in RESOURCE_TYPES) && !(type in IGNORED_RESOURCE_TYPES));
  if (unknown.length > 0) {
    const names = unknown.map(({ logicalId, type }) => `${logicalId} (${type})`).join(', ');
    throw localStackError(
      `The local stack does not know how to run ${names}. Leave them out of the app, or deploy it.`,
    );
  }
  const targets = referenceTargets(template, context, identities(declared, context));
  const resources = declared.flatMap(({ type, ...resource }) => {
    const local = RESOURCE_TYPES[type];
    if (local === undefined) return [];
    const properties = resolveIntrinsics(resource.properties, targets) as Record<string, unknown>;
    return [{ ...resource, type, local, properties, identity: local.identify(resource, context) }];
  });
  return {
    resources: resources.toSorted((a, b) => PHASES.indexOf(a.local.phase) - PHASES.indexOf(b.local.phase)),
    ignored: declared.flatMap(({ logicalId, type }) => {
      const reason = IGNORED_RESOURCE_TYPES[type];
      return reason === undefined ? [] : [{ logicalId, type, reason }];
    }),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs).map(([name, { Value }]) => [name, String(resolveIntrinsics(Value, targets))]),
    ),
  };
}

const declare = (logicalId: string, { Type, Properties, Metadata }: TemplateResource) => ({
  logicalId,
  type: Type,
  properties: Properties,
  metadata: Metadata,
});

function identities(
  declared: readonly ReturnType<typeof declare>[],
  context: NamingContext,
): ReadonlyMap<string, ResourceIdentity | IgnoredIdentity> {
  return new Map(
    declared.map(({ type, ...resource }) => {
      const identity = RESOURCE_TYPES[type]?.identify(resource, context) ?? { ignoredType: type };
      return [resource.logicalId, identity] as const;
    }),
  );
}

/** Stands for a resource that does not exist here but may be named, in an output or a policy. */
interface IgnoredIdentity {
  readonly ignoredType: string;
}

function referenceTargets(
  template: Template,
  context: NamingContext,
  known: ReadonlyMap<string, ResourceIdentity | IgnoredIdentity>,
): ReferenceTargets {
  const { stackName, region } = context;
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': LOCAL_ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackId': localArn('cloudformation', region, `stack/${stackName}/local`),
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return {
    ref(name) {
      const identity = known.get(name);
      if (identity === undefined) return pseudo[name] ?? template.Parameters[name]?.Default;
      return 'ref' in identity ? identity.ref : physicalName(stackName, name);
    },
    attribute(logicalId, name) {
      const identity = known.get(logicalId);
      if (identity === undefined) return undefined;
      if ('attributes' in identity) return identity.attributes[name];
      const service = identity.ignoredType.split('::')[1]?.toLowerCase() ?? '';
      const physical = physicalName(stackName, logicalId);
      return name === 'Arn' ? localArn(service, region, physical) : physical;
    },
  };
}
