import { AgentError } from '../errors/agent-error.ts';
import { checkName } from './plan-names.ts';
import { type ResourceDeclaration, ResourceType, type ResourceTypeName } from './resource.ts';

interface Kind {
  readonly isDeclared: (declaration: unknown) => boolean;
  readonly remedy: string;
}

/** How each kind of resource is declared. */
const KINDS: Readonly<Record<ResourceTypeName, Kind>> = {
  [ResourceType.PROMPT]: {
    isDeclared: (prompt) => hasMembers(prompt, { text: 'string', format: 'function' }),
    remedy: 'Declare it with definePrompt(text).',
  },
  [ResourceType.AGENT]: {
    // `planSubagent` says more exactly what is wrong.
    isDeclared: () => true,
    remedy: '',
  },
};

function hasMembers(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(types).every(([name, type]) => typeof members[name] === type);
}

/** Resources by kind and name. */
export type PlannedResources = ReadonlyMap<ResourceTypeName, ReadonlyMap<string, ResourceDeclaration>>;

/** @throws AgentError `INVALID_RESOURCE`, `DUPLICATE_RESOURCE` */
export function planResources(agent: string, declarations: readonly ResourceDeclaration[]): PlannedResources {
  const resources = new Map<ResourceTypeName, Map<string, ResourceDeclaration>>();
  for (const resource of declarations) {
    checkResource(agent, resource);
    const ofKind = resources.get(resource.type) ?? new Map<string, ResourceDeclaration>();
    if (ofKind.has(resource.name)) {
      throw new AgentError(
        'DUPLICATE_RESOURCE',
        `Agent "${agent}" defines ${resource.type} "${resource.name}" twice. Rename one of them.`,
      );
    }
    resources.set(resource.type, ofKind.set(resource.name, resource));
  }
  return resources;
}

function checkResource(agent: string, { name, type, declaration }: ResourceDeclaration): void {
  checkName('INVALID_RESOURCE', `A resource of agent "${agent}"`, name);
  const refuse = (fact: string) => new AgentError('INVALID_RESOURCE', `Resource "${name}" of agent "${agent}" ${fact}`);
  if (!Object.hasOwn(KINDS, type))
    throw refuse(`has the unknown type ${JSON.stringify(type)}. Use one of ResourceType.`);
  if (!KINDS[type].isDeclared(declaration)) throw refuse(`is no ${type}. ${KINDS[type].remedy}`);
}
