import { NotSerializableError } from '../errors/public-errors.ts';
import { classNameOf, isPlainObject, MAX_NESTING, memberBesideItems, shortPath } from './plain-data.ts';

/**
 * Refuses what JSON cannot carry, with its path. For values that leave the system (outputs) or are compared by their JSON (call arguments).
 * Members that are `undefined` are allowed: JSON leaves them out.
 * @throws NotSerializableError
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
  if (ancestors.size === MAX_NESTING) throw refuse(path, `inside ${MAX_NESTING} others`);
  ancestors.add(value);
  if (Array.isArray(value) && classNameOf(value) === 'Array') checkItems(value, path, ancestors);
  else if (isPlainObject(value)) checkMembers(value, path, ancestors);
  else throw refuse(path, `an instance of ${shortPath(classNameOf(value))}`);
  ancestors.delete(value);
}

function checkItems(array: readonly unknown[], path: string, ancestors: Set<object>): void {
  const name = memberBesideItems(array);
  if (name !== undefined) throw refuse(path, `a list with the member "${shortPath(name)}" beside its items`);
  for (const [index, item] of array.entries()) check(item, `${path}[${index}]`, ancestors);
}

function checkMembers(object: object, path: string, ancestors: Set<object>): void {
  for (const [name, item] of Object.entries(object)) {
    if (item !== undefined) check(item, `${path}.${name}`, ancestors);
  }
}

const refuse = (path: string, found: string) =>
  new NotSerializableError(
    `${shortPath(path)} is ${found}, which JSON cannot carry. Give strings, finite numbers, booleans, null, arrays and plain objects.`,
  );
