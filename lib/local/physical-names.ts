// What AWS documents for examples, and what the embedded queues use in their ARNs.
export const LOCAL_ACCOUNT = '000000000000';

/** The ARN of a resource of the local stack. */
export const localArn = (service: string, region: string, resource: string): string =>
  `arn:aws:${service}:${region}:${LOCAL_ACCOUNT}:${resource}`;

/** A name that is unique in the stack, without the random end that CloudFormation gives. */
export const physicalName = (stackName: string, logicalId: string): string => `${stackName}-${logicalId}`;

// Ids of constructs that say nothing about which function it is.
const GENERIC = new Set(['Resource', 'Function', 'Handler']);

/**
 * A readable name from the construct path: `Agents/RunAgent/Handler/Function/Resource` is `run-agent`.
 * @param logicalId serves when there is no path
 */
export function readableName(logicalId: string, metadata: Readonly<Record<string, unknown>>): string {
  const path = metadata['aws:cdk:path'];
  const parts = typeof path === 'string' ? path.split('/').slice(1) : [];
  while (parts.length > 1 && GENERIC.has(parts.at(-1) ?? '')) parts.pop();
  const name = parts
    .join('-')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
  return name || logicalId;
}
