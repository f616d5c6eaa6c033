import { decodeThrown, describeThrown } from '../values/error-codec.ts';

/** A stored error as people read it. */
export type ErrorLine = ReturnType<typeof describeThrown>;

/** Name, message and code of a stored error. */
export const describeStored = (stored: string): ErrorLine => describeThrown(decodeThrown(stored));

/** Name and message of a stored error, as they were stored: they may hold line breaks. */
export function errorText(stored: string): string {
  const { name, message } = describeStored(stored);
  return `${name}: ${message}`;
}
