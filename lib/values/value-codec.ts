import { types } from 'node:util';
import { NotSerializableError } from '../errors/public-errors.ts';
import { classNameOf, isPlainObject, MAX_NESTING, memberBesideItems, shortPath } from './plain-data.ts';

/**
 * The one codec of stored values. Beyond JSON it keeps `undefined`, `NaN`, the infinities, `-0`, `bigint`, `Date`, `Map`, `Set` and
 * `Uint8Array`; each is written as `{"$": kind, "v": …}`. A plain object that has a member `$` is written as kind `object`.
 * What comes back is a plain copy: a hole of an array as `undefined`, a `Buffer` as `Uint8Array`, a value that was shared once per place.
 * Anything else (class instances, functions, symbols, cycles, more than 500 values in each other) is refused with its path.
 * @throws NotSerializableError
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

const refuse = (path: string, fact: string, remedy: string, cause?: unknown): NotSerializableError =>
  new NotSerializableError(`${shortPath(path)} ${fact}. ${remedy}`, cause === undefined ? {} : { cause });

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
      throw refuse(
        path,
        `is a ${typeof value}, which cannot be stored`,
        'Give data: JSON, Date, Map, Set, bigint or bytes.',
      );
  }
}

function objectToStored(value: object, path: string, ancestors: Set<object>): Stored {
  if (ancestors.has(value))
    throw refuse(path, 'refers back to an object that contains it, which cannot be stored', 'Give a tree.');
  if (ancestors.size === MAX_NESTING)
    throw refuse(path, `stands in ${MAX_NESTING} others, which is too deep to be stored`, 'Give a flatter value.');
  ancestors.add(value);
  try {
    return contentToStored(value, path, ancestors);
  } catch (error) {
    if (error instanceof NotSerializableError) throw error;
    throw refuse(path, 'throws when it is read', 'Give plain data without getters or proxies.', error);
  } finally {
    ancestors.delete(value);
  }
}

function contentToStored(value: object, path: string, ancestors: Set<object>): Stored {
  if (isPlainObject(value)) return plainToStored(value, path, ancestors);
  const member = (item: unknown, name: string | number) => toStored(item, `${path}[${name}]`, ancestors);
  const className = classNameOf(value);
  // Told apart by their kind, which also those of another realm have, and by their class: a subclass would lose what it adds.
  if (className === 'Array' && Array.isArray(value)) {
    const name = memberBesideItems(value);
    if (name === undefined) return Array.from(value, member);
    throw refuse(
      path,
      `has the member "${shortPath(name)}" beside its items, which cannot be stored`,
      'Give [...items].',
    );
  }
  if (className === 'Date' && types.isDate(value))
    return tagged('date', Number.isNaN(value.getTime()) ? null : value.getTime());
  if ((className === 'Uint8Array' || className === 'Buffer') && types.isUint8Array(value))
    return tagged('bytes', Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'));
  if (className === 'Map' && types.isMap(value))
    return tagged(
      'map',
      Array.from(value, ([key, item], i) => [member(key, i), member(item, i)]),
    );
  if (className === 'Set' && types.isSet(value)) return tagged('set', Array.from(value, member));
  throw refuse(path, `is an instance of ${shortPath(className)}, which cannot be stored`, 'Give plain data.');
}

function plainToStored(value: object, path: string, ancestors: Set<object>): Stored {
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw refuse(path, 'has a member named by a symbol, which cannot be stored', 'Name it by a string.');
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
