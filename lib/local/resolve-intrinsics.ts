import * as z from 'zod';
import { localStackError } from './local-stack-error.ts';

/** What the template's references stand for on this machine. */
export interface ReferenceTargets {
  /** `undefined`: there is no such resource, parameter or pseudo parameter. */
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): string | undefined;
}

/** `Ref: AWS::NoValue` removes the property it stands for. */
export const NO_VALUE: unique symbol = Symbol('AWS::NoValue');

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const joinArguments = z.tuple([z.string(), z.array(text)]);
const selectArguments = z.tuple([z.coerce.number().int(), z.array(z.unknown())]);
const splitArguments = z.tuple([z.string(), z.string()]);

/** Replaces CloudFormation's functions in `value` by what they stand for. An unknown function is an error that names it. */
export function resolveIntrinsics(value: unknown, targets: ReferenceTargets): unknown {
  const resolveValue = (part: unknown): unknown => resolveIntrinsics(part, targets);
  if (Array.isArray(value)) return value.map(resolveValue).filter((item) => item !== NO_VALUE);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && isFunctionName(first[0])) {
    return applyFunction(first[0], first[1], targets);
  }
  const resolved = entries.map(([key, part]) => [key, resolveValue(part)] as const);
  return Object.fromEntries(resolved.filter(([, part]) => part !== NO_VALUE));
}

const isFunctionName = (key: string): boolean => key === 'Ref' || key.startsWith('Fn::');

function applyFunction(name: string, raw: unknown, targets: ReferenceTargets): unknown {
  if (name === 'Fn::GetAtt') return getAttribute(raw, targets);
  if (name === 'Fn::Sub') return substitute(raw, targets);
  const value = resolveIntrinsics(raw, targets);
  switch (name) {
    case 'Ref':
      return reference(z.string().parse(value), targets);
    case 'Fn::Join': {
      const [separator, parts] = joinArguments.parse(value);
      return parts.join(separator);
    }
    case 'Fn::Select': {
      const [index, items] = selectArguments.parse(value);
      return items[index];
    }
    case 'Fn::Split': {
      const [separator, whole] = splitArguments.parse(value);
      return whole.split(separator);
    }
    default:
      throw localStackError(
        `The template uses ${name}, which the local stack does not know. Build the value in the CDK app instead.`,
      );
  }
}

function reference(name: string, targets: ReferenceTargets): unknown {
  if (name === 'AWS::NoValue') return NO_VALUE;
  const value = targets.ref(name);
  if (value === undefined) {
    throw localStackError(
      `The template refers to ${name}, which does not exist in it. Keep what the functions need in one stack, or deploy the app instead.`,
    );
  }
  return value;
}

function getAttribute(raw: unknown, targets: ReferenceTargets): string {
  const [logicalId = '', ...path] = typeof raw === 'string' ? raw.split('.') : z.array(z.string()).parse(raw);
  const attribute = path.join('.');
  const value = targets.attribute(logicalId, attribute);
  if (value === undefined) {
    throw localStackError(
      `The template needs ${logicalId}.${attribute}, which the local stack does not provide. Do without it, or deploy the app instead.`,
    );
  }
  return value;
}

function substitute(raw: unknown, targets: ReferenceTargets): string {
  const [pattern, variables] =
    typeof raw === 'string' ? [raw, {}] : z.tuple([z.string(), z.record(z.string(), z.unknown())]).parse(raw);
  return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_whole, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    const own = variables[name];
    if (own !== undefined) return text.parse(resolveIntrinsics(own, targets));
    return text.parse(name.includes('.') ? getAttribute(name, targets) : reference(name, targets));
  });
}
