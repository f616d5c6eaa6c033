/** Holds a switch to every kind of its union. */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected kind: ${JSON.stringify(value)}`);
}
