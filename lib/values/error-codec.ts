import { AgentError, type AgentErrorCode } from '../errors/agent-error.ts';
import {
  CallInterruptedError,
  CallTimeoutError,
  NotSerializableError,
  ReplayMismatchError,
  TerminalAgentError,
  TerminalError,
} from '../errors/public-errors.ts';
import { readMember, scrubbedFields, scrubText } from './error-scrubber.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

/** Longest stored message in characters. Cut in the first drive as in every replay, so that both throw the same. */
const MAX_MESSAGE_LENGTH = 8_192;
/** A deeper cause chain is cut. */
const MAX_DEPTH = 8;
/** Errors kept of an `AggregateError`. */
const MAX_ERRORS = 32;

/** The stored form of what was thrown: an error, or any other value as it was. */
export type StoredThrown = { readonly error: StoredError } | { readonly value: string };

export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: StoredThrown;
  readonly errors?: readonly StoredThrown[];
}

type ErrorFactory = (message: string, code: AgentErrorCode) => Error;

const REBUILD: ReadonlyMap<string, ErrorFactory> = new Map<string, ErrorFactory>([
  ['TypeError', (message) => new TypeError(message)],
  ['RangeError', (message) => new RangeError(message)],
  ['SyntaxError', (message) => new SyntaxError(message)],
  ['ReferenceError', (message) => new ReferenceError(message)],
  ['EvalError', (message) => new EvalError(message)],
  ['URIError', (message) => new URIError(message)],
  ['AggregateError', (message) => new AggregateError([], message)],
  ['TerminalError', (message) => new TerminalError(message)],
  ['TerminalAgentError', (message, code) => new TerminalAgentError(code, message)],
  ['AgentError', (message, code) => new AgentError(code, message)],
  ['CallInterruptedError', (message) => new CallInterruptedError(message)],
  ['CallTimeoutError', (message) => new CallTimeoutError(message)],
  ['ReplayMismatchError', (message) => new ReplayMismatchError(message)],
  ['NotSerializableError', (message) => new NotSerializableError(message)],
]);

/** Stored text of whatever was thrown. Never throws itself. */
export function encodeThrown(thrown: unknown): string {
  return JSON.stringify(toStoredThrown(thrown, 0, new Set()));
}

/** What a replay throws: of the same public class, with the same name, message, code, causes and own JSON members. */
export function decodeThrown(text: string): unknown {
  return fromStoredThrown(JSON.parse(text) as StoredThrown);
}

/** A short readable line for logs, status messages and traces: name and message without credentials. */
export function describeThrown(thrown: unknown): {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
} {
  const stored = toStoredThrown(thrown, MAX_DEPTH, new Set());
  if ('value' in stored)
    return { name: 'Error', message: `A value was thrown that is no error: ${stored.value.slice(0, 1_024)}` };
  const code = stored.error.fields?.code;
  return { name: stored.error.name, message: stored.error.message, ...(typeof code === 'string' ? { code } : {}) };
}

function toStoredThrown(thrown: unknown, depth: number, seen: Set<object>): StoredThrown {
  if (typeof thrown === 'object' && thrown !== null && isErrorLike(thrown)) {
    if (seen.has(thrown)) return { value: encodeValue('[an error that contains itself]') };
    seen.add(thrown);
    return { error: toStoredError(thrown, depth, seen) };
  }
  try {
    const text = encodeValue(thrown);
    if (text.length <= MAX_MESSAGE_LENGTH) return { value: text };
  } catch (error) {
    if (!(error instanceof NotSerializableError)) throw error;
  }
  return { value: encodeValue(describeValue(thrown)) };
}

const isErrorLike = (value: object): boolean =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

function describeValue(value: unknown): string {
  try {
    return String(value).slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
  } catch {
    return `[a ${typeof value} without a text form]`;
  }
}

function toStoredError(error: object, depth: number, seen: Set<object>): StoredError {
  const name = readMember(error, 'name');
  const message = readMember(error, 'message');
  const cause = readMember(error, 'cause');
  const errors = readMember(error, 'errors');
  const fields = scrubbedFields(error);
  return {
    name: typeof name === 'string' && name !== '' ? name.slice(0, 256) : 'Error',
    message: scrubText(cut(typeof message === 'string' ? message : describeValue(message))),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(cause !== undefined && depth < MAX_DEPTH ? { cause: toStoredThrown(cause, depth + 1, seen) } : {}),
    ...(Array.isArray(errors) && depth < MAX_DEPTH
      ? { errors: errors.slice(0, MAX_ERRORS).map((item: unknown) => toStoredThrown(item, depth + 1, seen)) }
      : {}),
  };
}

function cut(message: string): string {
  const text = message.toWellFormed();
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH)}… (${text.length} characters)`;
}

function fromStoredThrown(stored: StoredThrown): unknown {
  return 'value' in stored ? decodeValue(stored.value) : fromStoredError(stored.error);
}

function fromStoredError(stored: StoredError): Error {
  const code = stored.fields?.code;
  const rebuild = REBUILD.get(stored.name);
  const error = rebuild
    ? rebuild(stored.message, (typeof code === 'string' ? code : 'INVALID_CALL') as AgentErrorCode)
    : new Error(stored.message);
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
