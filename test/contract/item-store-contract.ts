import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Condition, Item, ItemStore } from '../../lib/ports/item-store.ts';
import { itemConditionsContract } from './item-conditions-contract.ts';
import { type ItemStoreContractOptions, itemLimitsContract } from './item-limits-contract.ts';
import { itemSetsContract } from './item-sets-contract.ts';
import { ALWAYS, EXISTS, newKey } from './support/item-keys.ts';

/** What every item store does. `store` is called inside the tests, when the store is open. */
export function itemStoreContract(store: () => ItemStore, options: ItemStoreContractOptions): void {
  itemConditionsContract(store);
  itemLimitsContract(store, options);
  itemSetsContract(store);

  describe('put and get', () => {
    it('gives back what was put', async () => {
      const item = { ...newKey(), st: 'RUNNING', ep: 3 };
      expect(await store().put(item)).toEqual({ kind: 'written', item });
      expect(await store().get(item)).toEqual(item);
    });

    it('gives nothing for a missing item', async () => {
      expect(await store().get(newKey())).toBeUndefined();
    });

    it('replaces the whole item', async () => {
      const key = newKey();
      await store().put({ ...key, a: 1, b: 2 });
      await store().put({ ...key, b: 3 });
      expect(await store().get(key)).toEqual({ ...key, b: 3 });
    });

    it('keeps its own copy', async () => {
      const item: Record<string, string | number> & Item = { ...newKey(), a: 1 };
      const result = await store().put(item);
      item.a = 2;
      Object.assign(result.item ?? {}, { a: 3 });
      Object.assign((await store().get(item)) ?? {}, { a: 4 });
      Object.assign((await store().query(item))[0] ?? {}, { a: 5 });
      const refused = await store().put(item, { kind: 'absent', attribute: 'pk' });
      Object.assign(refused.item ?? {}, { a: 6 });
      const updated = await store().update(item, { set: { b: 1 } }, EXISTS);
      Object.assign(updated.item ?? {}, { a: 7 });
      expect(await store().get(item)).toMatchObject({ a: 1 });
    });

    it.each([0, -1, 1, 1_767_225_600_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
      'keeps the number %s',
      async (n) => {
        const item = { ...newKey(), n };
        await store().put(item);
        expect(await store().get(item)).toEqual(item);
      },
    );

    it.each([
      ['empty', ''],
      ['39 digits', '000000000000000000018878541321567744123'],
      ['not ASCII', 'ä 漢 😀 \u0000 \u2028 \ufffe \uffff'],
      ['like a number', '1e3'],
    ])('keeps a text that is %s', async (_, text) => {
      const item = { ...newKey(), text };
      await store().put(item);
      expect(await store().get(item)).toEqual(item);
    });
  });

  describe('update', () => {
    it('sets, adds and removes, and gives the whole new item', async () => {
      const key = newKey();
      await store().put({ ...key, a: 'old', n: 5, gone: 1, stays: 'x' });
      const change = { set: { a: 'new', b: 2 }, add: { n: -2, m: 7 }, remove: ['gone', 'never-there'] };
      const item = { ...key, a: 'new', b: 2, n: 3, m: 7, stays: 'x' };
      expect(await store().update(key, change, EXISTS)).toEqual({ kind: 'written', item });
      expect(await store().get(key)).toEqual(item);
    });

    it('creates a missing item when the condition allows it', async () => {
      const key = newKey();
      const item = { ...key, a: 1, n: 1 };
      expect(await store().update(key, { set: { a: 1 }, add: { n: 1 } }, ALWAYS)).toEqual({ kind: 'written', item });
      expect(await store().get(key)).toEqual(item);
    });

    it('looks at the item before the change', async () => {
      const key = newKey();
      await store().put({ ...key, n: 1 });
      const once: Condition = { kind: 'equal', attribute: 'n', value: 1 };
      expect(await store().update(key, { add: { n: 1 } }, once)).toEqual({ kind: 'written', item: { ...key, n: 2 } });
      expect(await store().update(key, { add: { n: 1 } }, once)).toEqual({ kind: 'refused', item: { ...key, n: 2 } });
    });

    it('changes nothing without a change', async () => {
      const there = { ...newKey(), a: 1 };
      await store().put(there);
      expect(await store().update(there, {}, EXISTS)).toEqual({ kind: 'written', item: there });
    });

    it('takes attribute names that are reserved words or no identifiers', async () => {
      const key = newKey();
      const change = { set: { status: 'x', 'wa#1': 1, 'a.b': 2 }, add: { size: 1 } };
      const condition: Condition = { kind: 'absent', attribute: 'value' };
      const item = { ...key, status: 'x', 'wa#1': 1, 'a.b': 2, size: 1 };
      expect(await store().update(key, change, condition)).toEqual({ kind: 'written', item });
    });

    it('loses no addition of many at once', async () => {
      const key = newKey();
      await Promise.all(Array.from({ length: 20 }, () => store().update(key, { add: { n: 1 } }, ALWAYS)));
      expect(await store().get(key)).toEqual({ ...key, n: 20 });
    });

    it('adds up to the largest safe integer', async () => {
      const key = newKey();
      await store().put({ ...key, n: Number.MAX_SAFE_INTEGER - 1 });
      expect(await store().update(key, { add: { n: 1 } }, EXISTS)).toMatchObject({
        item: { n: Number.MAX_SAFE_INTEGER },
      });
    });
  });

  describe('delete', () => {
    it('removes one item, and a missing one without complaint', async () => {
      const [key, neighbour] = [newKey(), newKey()];
      await store().put(key);
      await store().put({ ...neighbour, pk: key.pk, sk: 'RUN2' });
      await store().delete(key);
      await store().delete(key);
      expect(await store().query({ pk: key.pk })).toEqual([{ pk: key.pk, sk: 'RUN2' }]);
    });
  });

  describe('query', () => {
    const fill = async (sks: readonly string[]) => {
      const { pk } = newKey();
      for (const sk of sks) {
        await store().put({ pk, sk });
      }
      return {
        pk,
        sks: async (prefix?: string, limit?: number) => {
          const query = { pk, ...(prefix !== undefined && { prefix }), ...(limit !== undefined && { limit }) };
          return (await store().query(query)).map(({ sk }) => sk);
        },
      };
    };

    it('orders by the UTF-8 bytes of the sort key', async () => {
      const ordered = ['#', '0', 'A', 'INBOX#000', 'INBOX#1', 'a', 'aa', 'ä', '漢', '\ufffd', '😀', '😀a'];
      const { sks } = await fill(ordered.toReversed());
      expect(await sks()).toEqual(ordered);
    });

    it('orders zero-padded numbers by their value', async () => {
      const ordered = ['9', '10', '18878541321567744123'].map((digits) => `INBOX#${digits.padStart(39, '0')}#a`);
      const { sks } = await fill(ordered.toReversed());
      expect(await sks('INBOX#')).toEqual(ordered);
    });

    it('finds a prefix and nothing else', async () => {
      const { sks } = await fill(['CALL', 'CALL#a', 'CALL#ä', 'CALL#😀', 'CALM', 'call#a', 'ACTION#a']);
      expect(await sks('CALL#')).toEqual(['CALL#a', 'CALL#ä', 'CALL#😀']);
      expect(await sks('CALL#ä')).toEqual(['CALL#ä']);
      expect(await sks('CALL#b')).toEqual([]);
      expect(await sks('')).toHaveLength(7);
    });

    it('stops at the limit', async () => {
      const { sks } = await fill(['A', 'I#3', 'I#1', 'I#2', 'J']);
      expect(await sks('I#', 2)).toEqual(['I#1', 'I#2']);
      expect(await sks('I#', 9)).toEqual(['I#1', 'I#2', 'I#3']);
      expect(await sks(undefined, 1)).toEqual(['A']);
    });

    it('finds nothing in a missing partition', async () => {
      expect(await store().query(newKey())).toEqual([]);
    });

    it('goes on where a page of 1 MB ends', async () => {
      const { pk } = newKey();
      const items = Array.from({ length: 13 }, (_, index) => ({
        pk,
        sk: `I#${String(index).padStart(2, '0')}`,
        text: 'x'.repeat(100_000),
      }));
      for (const item of items) {
        await store().put(item);
      }
      expect(await store().query({ pk })).toEqual(items);
      expect(await store().query({ pk, prefix: 'I#', limit: 12 })).toEqual(items.slice(0, 12));
    });
  });

  describe('queryDue', () => {
    it('finds what is due, oldest first', async () => {
      const shard = randomUUID();
      const keys = [newKey(), newKey(), newKey(), newKey()] as const;
      await store().put({ ...keys[0], gs: shard, du: 3_000, st: 'RUNNING' });
      await store().put({ ...keys[1], gs: shard, du: 1_000 });
      await store().put({ ...keys[2], gs: shard, du: 20_000 });
      await store().put({ ...keys[3], gs: `${shard}-other`, du: 1_000 });
      const due = [
        { ...keys[1], dueAt: 1_000 },
        { ...keys[0], dueAt: 3_000 },
      ];
      expect(await store().queryDue({ shard, until: 3_000, limit: 10 })).toEqual(due);
      expect(await store().queryDue({ shard, until: 2_999, limit: 10 })).toEqual(due.slice(0, 1));
      expect(await store().queryDue({ shard, until: 3_000, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await store().queryDue({ shard, until: 999, limit: 10 })).toEqual([]);
    });

    it('holds only items that have both attributes, at their latest due time', async () => {
      const shard = randomUUID();
      const [moved, left, removed] = [newKey(), newKey(), newKey()];
      await store().put({ ...newKey(), gs: shard });
      await store().put({ ...newKey(), du: 1 });
      for (const key of [moved, left, removed]) {
        await store().put({ ...key, gs: shard, du: 1 });
      }
      await store().update(moved, { set: { du: 5 } }, EXISTS);
      await store().update(left, { remove: ['du', 'gs'] }, EXISTS);
      await store().delete(removed);
      expect(await store().queryDue({ shard, until: 10, limit: 10 })).toEqual([{ ...moved, dueAt: 5 }]);
      await store().update(left, { set: { gs: shard, du: 2 } }, EXISTS);
      await store().put(moved);
      expect(await store().queryDue({ shard, until: 10, limit: 10 })).toEqual([{ ...left, dueAt: 2 }]);
    });
  });
}
