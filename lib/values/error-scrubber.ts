/** Members of errors that HTTP clients fill with headers, bodies or credentials. Never stored, logged or shown. */
const DENIED =
  /^(_|config$|request$|response$|headers?$|options$|agent$|socket$|stack$)|authorization|cookie|password|passwd|secret|token|api[-_]?key|credential|private[-_]?key/i;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{6,}/gi, '$1 ***'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, '$1***@'],
  [
    /([?&;\s"']|^)((?:api[-_]?key|access[-_]?token|token|secret|password|signature|sig|key)["']?\s*[=:]\s*["']?)[^\s&"',;]{3,}/gi,
    '$1$2***',
  ],
  [/\b(sk|pk|rk|ghp|gho|github_pat|xox[abp])[-_][A-Za-z0-9_-]{10,}/g, '***'],
  [/\bAKIA[0-9A-Z]{16}\b/g, '***'],
];

/** Longest text of a kept member in characters. */
const MAX_FIELD_LENGTH = 1_024;
const MAX_FIELDS = 32;
const MAX_DEPTH = 3;

/** Masks credentials in a text. */
export function scrubText(text: string): string {
  return SECRETS.reduce((scrubbed, [pattern, replacement]) => scrubbed.replace(pattern, replacement), text);
}

/** The error's own members that are plain JSON and carry no credentials by their name. */
export function scrubbedFields(error: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(error).slice(0, MAX_FIELDS)) {
    if (name === 'name' || name === 'message' || name === 'cause' || name === 'errors' || name === '__proto__')
      continue;
    if (DENIED.test(name)) continue;
    const kept = keep(readMember(error, name), MAX_DEPTH);
    if (kept !== undefined) fields[name] = kept;
  }
  return fields;
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
  if (typeof value === 'string') return scrubText(value.slice(0, MAX_FIELD_LENGTH).toWellFormed());
  if (typeof value !== 'object' || depth === 0) return undefined;
  if (Array.isArray(value)) return value.slice(0, MAX_FIELDS).map((item) => keep(item, depth - 1) ?? null);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? scrubbedMembers(value, depth - 1) : undefined;
}

function scrubbedMembers(object: object, depth: number): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(object).slice(0, MAX_FIELDS)) {
    if (DENIED.test(name) || name === '__proto__') continue;
    const kept = keep(readMember(object, name), depth);
    if (kept !== undefined) members[name] = kept;
  }
  return members;
}
