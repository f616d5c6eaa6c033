import { createHash } from 'node:crypto';

/** 22 characters of base64url hold 132 bits: no two ids of a run meet by accident, and the length never grows. */
const ID_LENGTH = 22;

/** Digest of an ordered list of texts. Each part is prefixed with its length, so that joined parts cannot collide. */
export function digestParts(...parts: readonly (string | number)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const text = String(part);
    hash.update(`${text.length}:${text};`);
  }
  return hash.digest('base64url').slice(0, ID_LENGTH);
}

/** JSON with the members of each object in code-unit order, so that equal values have equal text on every runtime. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** Digest of a JSON value, equal for every order of its objects' members. */
export function digestJson(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, ID_LENGTH);
}
