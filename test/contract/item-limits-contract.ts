import { describe, expect, it } from 'vitest';
import type { ItemStore } from '../../lib/ports/item-store.ts';
import { ALWAYS, EXISTS, newKey } from './support/item-keys.ts';

const MAX_ITEM_BYTES = 400 * 1_024;

export interface ItemStoreContractOptions {
  /** Whether it behaves as DynamoDB does in every corner; an emulator may be laxer. */
  readonly isFaithful: boolean;
}

/** What every item store takes and refuses. */
export function itemLimitsContract(store: () => ItemStore, { isFaithful }: ItemStoreContractOptions): void {
  describe('limits', () => {
    const long = (bytes: number) => 'ä'.repeat(bytes / 2);

    it('takes keys and items up to their largest size', async () => {
      const { pk } = newKey();
      const longest = { pk: pk + 'x'.repeat(2_048 - pk.length), sk: long(1_024) };
      const rest = MAX_ITEM_BYTES - 2_048 - 1_024 - 'pksktext'.length;
      const item = { ...longest, text: 'x'.repeat(rest) };
      expect(await store().put(item)).toMatchObject({ kind: 'written' });
      expect(await store().get(longest)).toEqual(item);
    });

    const refusals: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['an empty pk', () => store().put({ pk: '', sk: 'a' })],
      ['an empty sk', () => store().put({ pk: 'a', sk: '' })],
      ['an empty pk in get', () => store().get({ pk: '', sk: 'a' })],
      ['an empty sk in update', () => store().update({ pk: 'a', sk: '' }, { set: { a: 1 } }, ALWAYS)],
      ['an empty sk in delete', () => store().delete({ pk: 'a', sk: '' })],
      ['a due time that is text', () => store().put({ ...newKey(), gs: 'a', du: '1' })],
      ['a pk above 2,048 bytes', () => store().put({ pk: 'x'.repeat(2_049), sk: 'a' })],
      ['an sk above 1,024 bytes', () => store().put({ pk: 'a', sk: 'x'.repeat(1_025) })],
      ['an item above 400 KB', () => store().put({ pk: 'a', sk: 'b', text: 'x'.repeat(MAX_ITEM_BYTES - 9) })],
      ['a fraction', () => store().put({ ...newKey(), n: 0.5 })],
      ['a number that is not exact', () => store().put({ ...newKey(), n: 2 ** 53 })],
      ['NaN', () => store().update(newKey(), { set: { n: Number.NaN } }, ALWAYS)],
      ['an addition of a text', () => store().update(newKey(), { add: { n: '1' as never } }, ALWAYS)],
      [
        'an addition of a fraction, whatever the condition',
        () => store().update(newKey(), { add: { n: 0.5 } }, EXISTS),
      ],
      ['an ill-formed text', () => store().put({ ...newKey(), text: '\ud83d' })],
      ['a change of the key', () => store().update(newKey(), { set: { sk: 'other' } }, ALWAYS)],
      ['two changes of one attribute', () => store().update(newKey(), { set: { a: 1 }, remove: ['a'] }, ALWAYS)],
      ['a limit of 0', () => store().query({ pk: 'a', limit: 0 })],
    ];
    const cornerCases: typeof refusals = [
      ['an empty pk in query', () => store().query({ pk: '' })],
      ['an empty shard', () => store().queryDue({ shard: '', until: 1, limit: 1 })],
      ['an empty gs', () => store().put({ ...newKey(), gs: '', du: 1 })],
      ['a pk above 2,048 bytes of fewer characters', () => store().put({ pk: `${long(2_048)}x`, sk: 'a' })],
      ['an sk above 1,024 bytes of fewer characters', () => store().put({ pk: 'a', sk: `${long(1_024)}x` })],
      [
        'more than 100 values in oneOf',
        () => store().put(newKey(), { kind: 'oneOf', attribute: 'n', values: Array(101).fill(1) }),
      ],
    ];

    it.each(isFaithful ? [...refusals, ...cornerCases] : refusals)('refuses %s', async (_, call) => {
      await expect(call()).rejects.toThrow();
    });

    it('refuses to add to a text, and to let an item grow above 400 KB', async () => {
      const there = { ...newKey(), text: 'x'.repeat(300_000) };
      await store().put(there);
      await expect(store().update(there, { add: { text: 1 } }, EXISTS)).rejects.toThrow();
      await expect(store().update(there, { set: { more: 'x'.repeat(120_000) } }, EXISTS)).rejects.toThrow();
      expect(await store().get(there)).toEqual(there);
    });
  });
}
