/** Limits of shown values, as in Flink Agents' trace log: characters of a string, elements of a list, depth. */
const MAX_STRING = 2_000;
const MAX_ELEMENTS = 20;
const MAX_DEPTH = 5;
const MAX_NAME = 200;
/**
 * Limit of everything together: each value counts 8 and its characters. A character takes at most six bytes of JSON, so a record stays
 * below 200 KB, and a log event of CloudWatch holds 256 KB (1 MB since 2025).
 */
const MAX_TOTAL = 24_000;
const VALUE_COST = 8;

interface Budget {
  left: number;
}

/**
 * A copy of the value that is safe to print: bounded, JSON only, never throwing. What is cut says how much;
 * beyond the limit of everything together the whole is marked `{ truncated: true, value }`.
 */
export function truncate(value: unknown): unknown {
  const budget = { left: MAX_TOTAL };
  try {
    const shown = cut(value, 0, budget);
    return budget.left > 0 ? shown : { truncated: true, value: shown };
  } catch {
    return '[a value that cannot be read]';
  }
}

function cut(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.left <= 0) return '[cut]';
  budget.left -= VALUE_COST;
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string') return cutString(value, budget);
  if (typeof value !== 'object') return `[${typeof value}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value)) return cutList(value, depth, budget);
  if (value instanceof Map || value instanceof Set) return cutList(Array.from(value), depth, budget);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  return cutObject(value, depth, budget);
}

function cutString(value: string, budget: Budget): unknown {
  const text = value.slice(0, MAX_STRING).toWellFormed();
  budget.left -= text.length;
  return value.length <= MAX_STRING ? text : { truncatedString: text, omittedChars: value.length - MAX_STRING };
}

function cutList(list: readonly unknown[], depth: number, budget: Budget): unknown {
  const kept = list.slice(0, MAX_ELEMENTS).map((item) => cut(item, depth + 1, budget));
  return list.length <= MAX_ELEMENTS ? kept : { truncatedList: kept, omittedElements: list.length - MAX_ELEMENTS };
}

function cutObject(object: object, depth: number, budget: Budget): unknown {
  const names = Object.keys(object);
  const kept = Object.fromEntries(
    names.slice(0, MAX_ELEMENTS).map((name) => {
      budget.left -= Math.min(name.length, MAX_NAME);
      const value: unknown = (object as Record<string, unknown>)[name];
      return [name.slice(0, MAX_NAME).toWellFormed(), cut(value, depth + 1, budget)];
    }),
  );
  return names.length <= MAX_ELEMENTS ? kept : { truncatedObject: kept, omittedFields: names.length - MAX_ELEMENTS };
}
