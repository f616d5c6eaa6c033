import type { Item } from '../ports/item-store.ts';

/** Renames the given members to their stored names, leaving out undefined ones. */
export function toAttributes(names: Readonly<Record<string, string>>, record: object): Record<string, string | number> {
  const attributes: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(record)) {
    const attribute = names[name];
    if (attribute !== undefined && value !== undefined) attributes[attribute] = value as string | number;
  }
  return attributes;
}

/** The reverse of `toAttributes`. */
export function fromAttributes(names: Readonly<Record<string, string>>, item: Item): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(names)) {
    if (item[attribute] !== undefined) record[name] = item[attribute];
  }
  return record;
}
