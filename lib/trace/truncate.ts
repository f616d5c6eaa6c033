/** Limits of shown values, as in Flink Agents' trace log: characters of a string, elements of a list, depth. */
const MAX_STRING = 2_000;
const MAX_ELEMENTS = 20;
const MAX_DEPTH = 5;

/** A copy of the value that is safe to print: bounded, JSON only, never throwing. What is cut says how much. */
export function truncate(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string') {
    const text = value.toWellFormed();
    return text.length <= MAX_STRING
      ? text
      : { truncatedString: text.slice(0, MAX_STRING), omittedChars: text.length - MAX_STRING };
  }
  if (typeof value !== 'object') return `[${typeof value}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value)) return truncateList(value, depth);
  if (value instanceof Map || value instanceof Set) return truncateList(Array.from(value), depth);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  return truncateObject(value, depth);
}

function truncateList(list: readonly unknown[], depth: number): unknown {
  const kept = list.slice(0, MAX_ELEMENTS).map((item) => truncate(item, depth + 1));
  return list.length <= MAX_ELEMENTS ? kept : { truncatedList: kept, omittedElements: list.length - MAX_ELEMENTS };
}

function truncateObject(object: object, depth: number): unknown {
  const names = Object.keys(object);
  const kept = Object.fromEntries(
    names.slice(0, MAX_ELEMENTS).map((name) => [name, truncate((object as Record<string, unknown>)[name], depth + 1)]),
  );
  return names.length <= MAX_ELEMENTS ? kept : { truncatedObject: kept, omittedFields: names.length - MAX_ELEMENTS };
}
