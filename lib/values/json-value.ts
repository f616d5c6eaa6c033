import { NotSerializableError } from '../errors/public-errors.ts';

/**
 * Refuses what JSON cannot carry, with its path. For values that leave the system (outputs) or are compared by their JSON (call arguments).
 * Members that are `undefined` are allowed: JSON leaves them out.
 */
export function checkJson(value: unknown, what: string): void {
  check(value, what, new Set());
}

function check(value: unknown, path: string, ancestors: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return;
    throw refuse(path, String(value));
  }
  if (typeof value !== 'object') throw refuse(path, typeof value);
  if (ancestors.has(value)) throw refuse(path, 'a reference to an object that contains it');
  ancestors.add(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) check(item, `${path}[${index}]`, ancestors);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw refuse(path, `an instance of ${value.constructor?.name ?? 'a class'}`);
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) check(item, `${path}.${name}`, ancestors);
    }
  }
  ancestors.delete(value);
}

const refuse = (path: string, found: string) =>
  new NotSerializableError(
    `${path} is ${found}, which JSON cannot carry. Give strings, finite numbers, booleans, null, arrays and plain objects.`,
  );
