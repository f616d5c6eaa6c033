import { randomUUID } from 'node:crypto';
import type { Condition } from '../../../lib/ports/item-store.ts';

export const ALWAYS: Condition = { kind: 'all', conditions: [] };
export const EXISTS: Condition = { kind: 'present', attribute: 'pk' };

/** A key that no other test uses. */
export function newKey(sk = 'RUN'): { readonly pk: string; readonly sk: string } {
  return { pk: `RUN#${randomUUID()}`, sk };
}
