import { types } from 'node:util';
import { buildError, errorClassOf } from './error-classes.ts';
import { readMember, scrubbedFields, scrubbedValue } from './error-scrubber.ts';
import { scrubAndCut } from './scrub-text.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

/** Longest stored message in characters. Cut in the first drive as in every replay, so that both throw the same. */
const MAX_MESSAGE_LENGTH = 8_192;
const MAX_NAME_LENGTH = 256;
/** A deeper cause chain is cut. */
const MAX_DEPTH = 8;
/** Errors stored in all with one: its causes, and those of an `AggregateError`. */
const MAX_ERRORS = 32;
/** Longest stored text in characters. The record of a run holds one beside its control data, and an item has 400 KB. */
const MAX_LENGTH = 65_536;

/** What is kept of an error, less and less until it fits: everything, nothing but its code of its members, no inner errors. */
const FITS = [
  { errors: MAX_ERRORS, fields: true },
  { errors: MAX_ERRORS, fields: false },
  { errors: 0, fields: false },
] as const;

/** The stored form of what was thrown: an error, or any other value. */
export type StoredThrown = { readonly error: StoredError } | { readonly value: string };

export interface StoredError {
  readonly name: string;
  readonly message: string;
  /** The class that it is rebuilt of, whatever its name; absent: `Error`. */
  readonly class?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: StoredThrown;
  readonly errors?: readonly StoredThrown[];
}

/** What was met on the way to an error, and what room is left. */
interface Walk {
  readonly ancestors: Set<object>;
  readonly fields: boolean;
  errors: number;
}

const newWalk = (limits: Pick<Walk, 'errors' | 'fields'>): Walk => ({ ...limits, ancestors: new Set() });

/** Stored text of whatever was thrown, without credentials. Never throws itself. */
export function encodeThrown(thrown: unknown): string {
  let text = '';
  for (const limits of FITS) {
    text = JSON.stringify(toStoredThrown(thrown, newWalk(limits)));
    if (text.length <= MAX_LENGTH) break;
  }
  return text;
}

/** What a replay throws: of the same public class, with the same name, message, code, causes and own JSON members. */
export function decodeThrown(text: string): unknown {
  return fromStoredThrown(JSON.parse(text) as StoredThrown);
}

/** A short readable line for logs, status messages and traces: name and message without credentials. */
export interface ErrorLine {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

export function describeThrown(thrown: unknown): ErrorLine {
  return lineOf(toStoredThrown(thrown, newWalk({ errors: 1, fields: false })));
}

function lineOf(stored: StoredThrown): ErrorLine {
  if ('value' in stored)
    return { name: 'Error', message: `A value was thrown that is no error: ${stored.value.slice(0, 1_024)}` };
  const { name, message, fields, errors: [first] = [] } = stored.error;
  const code = fields?.code;
  // An AggregateError is often made without a message.
  const said = message === '' && first !== undefined ? lineOf(first).message : message;
  return { name, message: said === '' ? '(no message)' : said, ...(typeof code === 'string' ? { code } : {}) };
}

function toStoredThrown(thrown: unknown, walk: Walk): StoredThrown {
  try {
    if (typeof thrown !== 'object' || thrown === null) return { value: encodeValue(storablePrimitive(thrown)) };
    if (!(thrown instanceof Error || types.isNativeError(thrown))) return { value: valueText(thrown) };
    if (walk.ancestors.has(thrown)) return { value: encodeValue('[an error that contains itself]') };
    walk.ancestors.add(thrown);
    const error = toStoredError(thrown, walk);
    walk.ancestors.delete(thrown);
    return { error };
  } catch {
    // A proxy or a getter of the thrown value: whatever it throws, there is nothing to be read.
    return { value: encodeValue('[a thrown value that cannot be read]') };
  }
}

function storablePrimitive(thrown: unknown): unknown {
  if (typeof thrown === 'function' || typeof thrown === 'symbol') return `[a ${typeof thrown}]`;
  return typeof thrown === 'string' ? scrubAndCut(thrown, MAX_MESSAGE_LENGTH) : thrown;
}

function valueText(thrown: object): string {
  const text = encodeValue(scrubbedValue(thrown) ?? scrubAndCut(String(thrown), MAX_MESSAGE_LENGTH));
  return text.length <= MAX_MESSAGE_LENGTH ? text : encodeValue(scrubAndCut(text, MAX_MESSAGE_LENGTH));
}

function toStoredError(error: object, walk: Walk): StoredError {
  const name = readMember(error, 'name');
  const message = readMember(error, 'message');
  const cause = readMember(error, 'cause');
  const errors = readMember(error, 'errors');
  const className = errorClassOf(error);
  const fields = scrubbedFields(error, walk.fields);
  const inner = cause === undefined ? undefined : toInner(cause, walk);
  return {
    name: typeof name === 'string' && name !== '' ? scrubAndCut(name, MAX_NAME_LENGTH) : 'Error',
    message: scrubAndCut(String(message ?? ''), MAX_MESSAGE_LENGTH),
    ...(className === undefined ? {} : { class: className }),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(inner === undefined ? {} : { cause: inner }),
    ...(Array.isArray(errors) ? { errors: toInnerList(errors, walk) } : {}),
  };
}

/** An inner error, as long as there is room for one. */
function toInner(thrown: unknown, walk: Walk): StoredThrown | undefined {
  if (walk.errors === 0 || walk.ancestors.size > MAX_DEPTH) return undefined;
  walk.errors -= 1;
  return toStoredThrown(thrown, walk);
}

function toInnerList(errors: readonly unknown[], walk: Walk): readonly StoredThrown[] {
  return errors.slice(0, MAX_ERRORS).flatMap((item) => toInner(item, walk) ?? []);
}

function fromStoredThrown(stored: StoredThrown): unknown {
  return 'value' in stored ? decodeValue(stored.value) : fromStoredError(stored.error);
}

function fromStoredError(stored: StoredError): Error {
  const error = buildError(stored.class, stored.message, stored.fields?.code);
  define(error, 'name', stored.name);
  for (const [name, value] of Object.entries(stored.fields ?? {})) {
    Object.defineProperty(error, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (stored.cause !== undefined) define(error, 'cause', fromStoredThrown(stored.cause));
  if (stored.errors !== undefined) define(error, 'errors', stored.errors.map(fromStoredThrown));
  // The stack would name this file; the place of the first throw is in the trace of the drive that saw it.
  define(error, 'stack', `${stored.name}: ${stored.message}`);
  return error;
}

function define(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, enumerable: false, configurable: true, writable: true });
}
