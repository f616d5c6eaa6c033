import { NotSerializableError } from '../errors/public-errors.ts';

/**
 * The one codec of stored values. Beyond JSON it keeps `undefined`, `NaN`, the infinities, `-0`, `bigint`, `Date`, `Map`, `Set` and
 * `Uint8Array`; each is written as `{"$": kind, "v": …}`. A plain object that has a member `$` is written as kind `object`.
 * Anything else (class instances, functions, symbols, cycles) has no stored form and is refused with its path.
 */
export function encodeValue(value: unknown, what = 'value'): string {
  return JSON.stringify(toStored(value, what, new Set()));
}

/** The reverse of `encodeValue`: a fresh copy at each call. */
export function decodeValue(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return text.includes('"$"') ? fromStored(parsed) : parsed;
}

type Stored = null | boolean | number | string | readonly Stored[] | { readonly [name: string]: Stored };

const tagged = (kind: string, v?: Stored): Stored => (v === undefined ? { $: kind } : { $: kind, v });

function toStored(value: unknown, path: string, ancestors: Set<object>): Stored {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : tagged('number', Object.is(value, -0) ? '-0' : String(value));
    case 'bigint':
      return tagged('bigint', String(value));
    case 'undefined':
      return tagged('undefined');
    case 'object':
      return value === null ? null : objectToStored(value, path, ancestors);
    default:
      throw new NotSerializableError(
        `${path} is a ${typeof value}, which cannot be stored. Give data: JSON, Date, Map, Set, bigint or bytes.`,
      );
  }
}

function objectToStored(value: object, path: string, ancestors: Set<object>): Stored {
  if (ancestors.has(value)) {
    throw new NotSerializableError(
      `${path} refers back to an object that contains it, which cannot be stored. Give a tree.`,
    );
  }
  ancestors.add(value);
  const stored = membersToStored(value, path, ancestors);
  ancestors.delete(value);
  return stored;
}

function membersToStored(value: object, path: string, ancestors: Set<object>): Stored {
  const member = (item: unknown, name: string | number) => toStored(item, `${path}[${name}]`, ancestors);
  if (Array.isArray(value)) return Array.from(value, member);
  if (value instanceof Date) return tagged('date', Number.isNaN(value.getTime()) ? null : value.getTime());
  if (value instanceof Uint8Array)
    return tagged('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'));
  if (value instanceof Map)
    return tagged(
      'map',
      Array.from(value, ([key, item], i) => [member(key, i), member(item, i)]),
    );
  if (value instanceof Set) return tagged('set', Array.from(value, member));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const name = value.constructor?.name || 'object without a plain prototype';
    throw new NotSerializableError(`${path} is an instance of ${name}, which cannot be stored. Give plain data.`);
  }
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length > 0)
    throw new NotSerializableError(`${path} has a member named by a symbol. Name it by a string.`);
  const object: Record<string, Stored> = {};
  for (const [name, item] of Object.entries(value)) define(object, name, toStored(item, `${path}.${name}`, ancestors));
  return Object.hasOwn(object, '$') ? tagged('object', object) : object;
}

/** Assigning `__proto__` would change the prototype instead of making a member. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function fromStored(stored: unknown): unknown {
  if (Array.isArray(stored)) return stored.map(fromStored);
  if (typeof stored !== 'object' || stored === null) return stored;
  if (!Object.hasOwn(stored, '$')) return objectFromStored(stored);
  const { $: kind, v } = stored as { $: string; v?: unknown };
  switch (kind) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(v);
    case 'bigint':
      return BigInt(v as string);
    case 'date':
      return new Date(v === null ? Number.NaN : (v as number));
    case 'bytes':
      return new Uint8Array(Buffer.from(v as string, 'base64'));
    case 'map':
      return new Map((v as [unknown, unknown][]).map(([key, item]) => [fromStored(key), fromStored(item)]));
    case 'set':
      return new Set((v as unknown[]).map(fromStored));
    case 'object':
      return objectFromStored(v as object);
    default:
      throw new NotSerializableError(
        `A stored value has the unknown kind "${kind}". It was written by a newer version: deploy that one.`,
      );
  }
}

function objectFromStored(stored: object): object {
  const object = {};
  for (const [name, item] of Object.entries(stored)) define(object, name, fromStored(item));
  return object;
}
