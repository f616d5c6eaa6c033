/** Values may stand in each other so deep. Reading them recurses, and the engine's own JSON gives up at some 5,000 levels. */
export const MAX_NESTING = 500;

/** Longest path in a message; a deep value or a long member name would make it as long as itself. */
const MAX_PATH_LENGTH = 200;

/** Whether nothing but its own members makes the object up. An object of another realm (`node:vm`) counts as one of this. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf');
}

/** Name of the class that the object is an instance of. */
export function classNameOf(value: object): string {
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: unknown } } | null;
  const name = prototype?.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'a class without a name';
}

/** A name that the array has beside its items, which no list would keep; the groups of a matched pattern for instance. */
export function memberBesideItems(array: readonly unknown[]): string | undefined {
  // Indices come first, so only the last name needs a look.
  const last = Object.keys(array).at(-1);
  return last === undefined || /^\d+$/.test(last) ? undefined : last;
}

/** A path as a message shows it. */
export function shortPath(path: string): string {
  return path.length <= MAX_PATH_LENGTH ? path : `${path.slice(0, MAX_PATH_LENGTH).toWellFormed()}…`;
}
