import { describe, expect, it } from 'vitest';
import type { Condition, ItemStore } from '../../lib/ports/item-store.ts';
import { EXISTS, newKey } from './support/item-keys.ts';

/** How every item store treats conditions. */
export function itemConditionsContract(store: () => ItemStore): void {
  describe('conditions', () => {
    const item = { st: 'RUNNING', ep: 3, empty: '', zero: 0 };
    const equal = (attribute: string, value: string | number): Condition => ({ kind: 'equal', attribute, value });
    const not = (condition: Condition): Condition => ({ kind: 'not', condition });
    const all = (...conditions: Condition[]): Condition => ({ kind: 'all', conditions });
    const any = (...conditions: Condition[]): Condition => ({ kind: 'any', conditions });
    const isRunning = equal('st', 'RUNNING');
    const isOther = equal('st', 'BLOCKED');

    // condition · holds for `item` · holds when nothing is there
    const cases: readonly (readonly [Condition, boolean, boolean])[] = [
      [{ kind: 'absent', attribute: 'pk' }, false, true],
      [{ kind: 'absent', attribute: 'st' }, false, true],
      [{ kind: 'absent', attribute: 'ow' }, true, true],
      [{ kind: 'present', attribute: 'pk' }, true, false],
      [{ kind: 'present', attribute: 'empty' }, true, false],
      [{ kind: 'present', attribute: 'zero' }, true, false],
      [{ kind: 'present', attribute: 'ow' }, false, false],
      [isRunning, true, false],
      [isOther, false, false],
      [equal('ep', 3), true, false],
      [equal('ep', '3'), false, false],
      [equal('ow', ''), false, false],
      [equal('empty', ''), true, false],
      [equal('zero', 0), true, false],
      [equal('sk', 'RUN'), true, false],
      [{ kind: 'below', attribute: 'ep', value: 3 }, false, false],
      [{ kind: 'below', attribute: 'ep', value: 4 }, true, false],
      [{ kind: 'below', attribute: 'st', value: 4 }, false, false],
      [{ kind: 'below', attribute: 'ow', value: 4 }, false, false],
      [{ kind: 'atMost', attribute: 'ep', value: 2 }, false, false],
      [{ kind: 'atMost', attribute: 'ep', value: 3 }, true, false],
      [{ kind: 'atMost', attribute: 'st', value: 3 }, false, false],
      [{ kind: 'atMost', attribute: 'ow', value: 3 }, false, false],
      [{ kind: 'oneOf', attribute: 'st', values: ['BLOCKED', 'RUNNING'] }, true, false],
      [{ kind: 'oneOf', attribute: 'ep', values: ['3', 4] }, false, false],
      [{ kind: 'oneOf', attribute: 'ow', values: ['x'] }, false, false],
      [{ kind: 'oneOf', attribute: 'st', values: [] }, false, false],
      [not(isRunning), false, true],
      [not({ kind: 'below', attribute: 'ow', value: 4 }), true, true],
      [not(not(isRunning)), true, false],
      [all(), true, true],
      [any(), false, false],
      [not(all()), false, false],
      [not(any()), true, true],
      [all(isRunning), true, false],
      [any(isRunning), true, false],
      [all(isRunning, isOther), false, false],
      [any(isRunning, isOther), true, false],
      [all(any(isOther, isRunning), not(any(isOther, equal('ep', 4)))), true, false],
      [any(all(isRunning, isOther), all(isRunning, equal('ep', 3), any())), false, false],
      [any(all(isRunning, isOther), all(all(any(isRunning)), not(all(isOther)))), true, false],
      [any({ kind: 'absent', attribute: 'pk' }, { kind: 'below', attribute: 'ep', value: 10 }), true, true],
    ];

    it.each(cases)('%j', async (condition, holds, holdsForNothing) => {
      const [putKey, updateKey, missingPutKey, missingUpdateKey] = [newKey(), newKey(), newKey(), newKey()];
      await store().put({ ...putKey, ...item });
      await store().put({ ...updateKey, ...item });
      const kinds = [
        await store().put({ ...putKey, done: 1 }, condition),
        await store().update(updateKey, { set: { done: 1 } }, condition),
        await store().put({ ...missingPutKey, done: 1 }, condition),
        await store().update(missingUpdateKey, { set: { done: 1 } }, condition),
      ].map(({ kind }) => kind);
      const expected = (isWritten: boolean) => (isWritten ? 'written' : 'refused');
      expect(kinds).toEqual([expected(holds), expected(holds), expected(holdsForNothing), expected(holdsForNothing)]);
    });

    it('refuses with the item that stands there and leaves it', async () => {
      const there = { ...newKey(), ...item };
      await store().put(there);
      expect(await store().put({ ...there, ep: 4 }, isOther)).toEqual({ kind: 'refused', item: there });
      expect(await store().update(there, { set: { ep: 4 } }, isOther)).toEqual({ kind: 'refused', item: there });
      expect(await store().get(there)).toEqual(there);
    });

    it('refuses with nothing where nothing stands, and creates nothing', async () => {
      const key = newKey();
      expect(await store().put({ ...key, ep: 4 }, EXISTS)).toEqual({ kind: 'refused', item: undefined });
      expect(await store().update(key, { set: { ep: 4 } }, EXISTS)).toEqual({ kind: 'refused', item: undefined });
      expect(await store().get(key)).toBeUndefined();
    });

    it('lets one of many writers win', async () => {
      const key = newKey();
      const writers = Array.from({ length: 12 }, (_, index) => ({ ...key, tk: `writer-${index}` }));
      const results = await Promise.all(
        writers.map((writer) => store().put(writer, { kind: 'absent', attribute: 'pk' })),
      );
      const winner = await store().get(key);
      expect(results.filter(({ kind }) => kind === 'written')).toEqual([{ kind: 'written', item: winner }]);
      expect(results.filter(({ kind }) => kind === 'refused')).toEqual(
        Array(11).fill({ kind: 'refused', item: winner }),
      );
    });
  });
}
