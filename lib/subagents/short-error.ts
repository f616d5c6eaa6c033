import { describeThrown } from '../values/error-codec.ts';

/** Of an error its name and message, without stack and cause: it goes to whoever asked, perhaps a model. A text stays as it is. */
export function shortError(error: unknown): string {
  if (typeof error === 'string') return error;
  const { name, message } = describeThrown(error);
  return `${name}: ${message}`;
}
