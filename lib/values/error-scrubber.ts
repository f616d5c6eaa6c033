import { isPlainObject } from './plain-data.ts';
import { scrubAndCut } from './scrub-text.ts';

/** Members of errors that HTTP clients fill with headers, bodies or credentials. Never stored, logged or shown. */
const DENIED =
  /^(?:_|(?:config|request|response|options|agent|socket|stack|auth)$)|headers?$|authorization|cookie|passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|signature/i;

/** Longest text of a kept member in characters. */
const MAX_FIELD_LENGTH = 1_024;
const MAX_FIELDS = 32;
const MAX_DEPTH = 3;

/** What `StoredError` has places of their own for. */
const PLACED = new Set(['name', 'message', 'cause', 'code']);

/** The error's code and, when asked for, its own members that are plain JSON and carry no credentials by their name. */
export function scrubbedFields(error: object, all: boolean): Record<string, unknown> {
  // The code may stand in the class, as that of a `DOMException` does.
  const code = readMember(error, 'code');
  const keptCode = typeof code === 'string' || typeof code === 'number' ? keep(code, 0) : undefined;
  const names = all ? Object.keys(error).filter((name) => !PLACED.has(name) && !isErrorList(error, name)) : [];
  return { ...(keptCode === undefined ? {} : { code: keptCode }), ...scrubbedMembers(error, names, MAX_DEPTH) };
}

const isErrorList = (error: object, name: string): boolean =>
  name === 'errors' && Array.isArray(readMember(error, name));

/** A thrown value that is no error, as JSON without what carries credentials by its name; `undefined`: it has no such form. */
export function scrubbedValue(value: object): unknown {
  return keep(value, MAX_DEPTH);
}

/** A getter may throw; then the member counts as missing. */
export function readMember(object: object, name: string): unknown {
  try {
    return (object as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function keep(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string') return scrubAndCut(value, MAX_FIELD_LENGTH);
  if (typeof value !== 'object' || depth === 0) return undefined;
  if (Array.isArray(value)) return value.slice(0, MAX_FIELDS).map((item) => keep(item, depth - 1) ?? null);
  return isPlainObject(value) ? scrubbedMembers(value, Object.keys(value), depth - 1) : undefined;
}

function scrubbedMembers(object: object, names: readonly string[], depth: number): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of names.slice(0, MAX_FIELDS)) {
    const value = readMember(object, name);
    if (name === '__proto__' || isDenied(name, value)) continue;
    const kept = keep(value, depth);
    if (kept !== undefined) members[name] = kept;
  }
  return members;
}

/** A number of tokens is no token. */
const isDenied = (name: string, value: unknown): boolean =>
  DENIED.test(name) && !(typeof value === 'number' && /token/i.test(name));
