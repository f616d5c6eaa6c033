import { beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '../../../lib/ports/item-store.ts';
import { InMemoryItemStore } from '../../../lib/testing/in-memory-item-store.ts';

const key = { pk: 'RUN#1', sk: 'RUN' };
const indexed = { gs: '0', du: 1_767_225_600_000 };
const EXISTS: Condition = { kind: 'present', attribute: 'pk' };
const IS_NEW: Condition = { kind: 'absent', attribute: 'pk' };

/** A text that makes the item with `key` and attribute `text` so large. */
const textOf = (bytes: number) => 'x'.repeat(bytes - 'pkRUN#1skRUNtext'.length);

describe('the meter of the store in memory', () => {
  let store: InMemoryItemStore;
  beforeEach(() => {
    store = new InMemoryItemStore();
  });

  const units = async (operation: () => Promise<unknown>) => {
    store.meter.reset();
    await operation();
    return store.meter.total.readUnits + store.meter.total.writeUnits;
  };

  it('counts calls by operation and in all', async () => {
    await store.put({ ...key, a: 1 }, IS_NEW);
    await store.put({ ...key, a: 1 }, IS_NEW);
    await store.update(key, { add: { a: 1 } }, EXISTS);
    await store.get(key);
    await store.query({ pk: key.pk });
    await store.queryDue({ shard: '0', until: 1, limit: 1 });
    await store.delete(key);
    expect(store.meter.operation('put')).toEqual({ calls: 2, units: 2 });
    expect(store.meter.operation('queryDue')).toEqual({ calls: 1, units: 0.5 });
    expect(store.meter.total).toEqual({ reads: 3, writes: 4, readUnits: 2.5, writeUnits: 4 });
    store.meter.reset();
    expect(store.meter.total).toEqual({ reads: 0, writes: 0, readUnits: 0, writeUnits: 0 });
  });

  it('does not count what tests look at, nor what is refused as invalid', async () => {
    await store.put({ ...key, a: 1 });
    store.meter.reset();
    store.items();
    await expect(store.get({ pk: '', sk: 'a' })).rejects.toThrow();
    expect(store.meter.total).toMatchObject({ reads: 0, writes: 0 });
  });

  describe('writes', () => {
    it.each([
      [1_024, 1],
      [1_025, 2],
      [10_240, 10],
    ])('charges %s bytes with %s units', async (bytes, expected) => {
      expect(await units(() => store.put({ ...key, text: textOf(bytes) }))).toBe(expected);
    });

    it('counts text in UTF-8', async () => {
      expect(await units(() => store.put({ ...key, text: 'ä'.repeat(504) }))).toBe(1);
      expect(await units(() => store.put({ ...key, text: 'ä'.repeat(505) }))).toBe(2);
    });

    it('counts a set with its members in UTF-8, and nothing for being one', async () => {
      // 14 bytes are the key and the attribute's name, 10 the digits.
      const setOf = (bytes: number) => [...'0123456789', 'ä'.repeat((bytes - 14 - 10) / 2)];
      expect(await units(() => store.put({ ...key, wa: setOf(1_024) }))).toBe(1);
      expect(await units(() => store.put({ ...key, wa: setOf(1_026) }))).toBe(2);
    });

    it('charges a take with the item that it finds', async () => {
      await store.put({ ...key, wa: ['1', 'x'.repeat(3_000)] });
      const take = (member: string) => store.update(key, { take: { wa: [member] } }, EXISTS);
      expect(await units(() => take('1'))).toBe(3);
      expect(await units(() => take('x'.repeat(3_000)))).toBe(3);
      expect(await units(() => take('x'.repeat(3_000)))).toBe(1);
    });

    it('charges the larger of the whole item before and after', async () => {
      await store.put({ ...key, text: textOf(3_000) });
      expect(await units(() => store.update(key, { set: { a: 1 } }, EXISTS))).toBe(3);
      expect(await units(() => store.put(key))).toBe(3);
      expect(await units(() => store.update(key, { set: { text: textOf(5_000) } }, EXISTS))).toBe(5);
    });

    it('charges a refused write as one that is made', async () => {
      await store.put({ ...key, text: textOf(3_000) });
      expect(await units(() => store.update(key, { set: { a: 1 } }, IS_NEW))).toBe(3);
      expect(await units(() => store.put({ ...key, text: textOf(4_000) }, IS_NEW))).toBe(4);
      expect(await units(() => store.update({ pk: 'RUN#2', sk: 'RUN' }, { set: { a: 1 } }, EXISTS))).toBe(1);
    });

    it('charges a delete with the item, and nothing with one unit', async () => {
      await store.put({ ...key, text: textOf(3_000) });
      expect(await units(() => store.delete(key))).toBe(3);
      expect(await units(() => store.delete(key))).toBe(1);
    });
  });

  describe('the index', () => {
    it('charges one unit for entering, one for leaving, two for another due time or shard', async () => {
      expect(await units(() => store.put({ ...key, ...indexed }))).toBe(1 + 1);
      expect(await units(() => store.update(key, { set: { du: indexed.du + 1 } }, EXISTS))).toBe(1 + 2);
      expect(await units(() => store.update(key, { set: { gs: '1' } }, EXISTS))).toBe(1 + 2);
      expect(await units(() => store.update(key, { remove: ['du'] }, EXISTS))).toBe(1 + 1);
      expect(await units(() => store.update(key, { set: { du: 5 } }, EXISTS))).toBe(1 + 1);
      expect(await units(() => store.delete(key))).toBe(1 + 1);
    });

    it('charges nothing when its keys stay', async () => {
      await store.put({ ...key, ...indexed });
      expect(await units(() => store.update(key, { set: { a: 1, ...indexed } }, EXISTS))).toBe(1);
      expect(await units(() => store.put({ ...key, ...indexed, b: 1 }))).toBe(1);
    });

    it('charges nothing for a refused write, nor for an item with one of its two attributes', async () => {
      await store.put({ ...key, ...indexed });
      expect(await units(() => store.update(key, { set: { du: 7 } }, IS_NEW))).toBe(1);
      expect(await units(() => store.put({ pk: 'RUN#2', sk: 'RUN', gs: '0' }))).toBe(1);
      expect(await units(() => store.update({ pk: 'RUN#2', sk: 'RUN' }, { set: { gs: '1' } }, EXISTS))).toBe(1);
    });

    it('charges an entry by its keys alone', async () => {
      const long = { pk: `RUN#${'x'.repeat(1_100)}`, sk: 'RUN', ...indexed };
      expect(await units(() => store.put({ ...long, text: 'x'.repeat(3_000) }))).toBe(5 + 2);
    });
  });

  describe('reads', () => {
    it.each([
      [4_096, 1],
      [4_097, 2],
    ])('charges a get of %s bytes with %s units', async (bytes, expected) => {
      await store.put({ ...key, text: textOf(bytes) });
      expect(await units(() => store.get(key))).toBe(expected);
    });

    it('rounds the sum of a query, not each item', async () => {
      for (const sk of ['1', '2', '3', '4', '5']) {
        await store.put({ pk: key.pk, sk, text: 'x'.repeat(1_000) });
      }
      expect(await units(() => store.query({ pk: key.pk }))).toBe(2);
      expect(await units(() => store.query({ pk: key.pk, limit: 4 }))).toBe(1);
    });

    it('charges reading nothing', async () => {
      expect(await units(() => store.get(key))).toBe(1);
      expect(await units(() => store.query({ pk: key.pk }))).toBe(1);
      expect(await units(() => store.queryDue({ shard: '0', until: 1, limit: 1 }))).toBe(0.5);
    });

    it('charges a query of the index with half, by the keys alone', async () => {
      for (let run = 0; run < 100; run += 1) {
        await store.put({
          pk: `RUN#${String(run).padStart(3, '0')}`,
          sk: 'RUN',
          gs: '0',
          du: 1,
          text: 'x'.repeat(9_000),
        });
      }
      // An entry is pk + 7, sk + 3, gs + 1, du + 2 = 21 bytes; 100 of them fit one read unit.
      expect(await units(() => store.queryDue({ shard: '0', until: 1, limit: 100 }))).toBe(0.5);
    });
  });
});
