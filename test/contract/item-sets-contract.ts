import { describe, expect, it } from 'vitest';
import type { Condition, ItemChange, ItemStore } from '../../lib/ports/item-store.ts';
import { ALWAYS, EXISTS, newKey } from './support/item-keys.ts';

/** How every item store keeps sets of text and takes members out of them. */
export function itemSetsContract(store: () => ItemStore): void {
  const putSet = async (wa: readonly string[], more: { readonly [name: string]: string | number } = {}) => {
    const key = newKey();
    await store().put({ ...key, ...more, wa });
    return key;
  };
  const take = (key: ReturnType<typeof newKey>, wa: readonly string[]) => store().update(key, { take: { wa } }, EXISTS);
  const ordinals = Array.from({ length: 1_000 }, (_, ordinal) => String(ordinal)).toSorted();

  describe('sets of text', () => {
    it('come back sorted from everything that gives items', async () => {
      const key = newKey();
      const item = { ...key, wa: ['10', '9', 'a', 'b', 'ä', '😀'] };
      const given = { ...key, wa: ['😀', 'b', '9', 'ä', '10', 'a'] };
      expect(await store().put(given)).toEqual({ kind: 'written', item });
      expect(await store().get(key)).toEqual(item);
      expect(await store().query({ pk: key.pk })).toEqual([item]);
      expect(await store().put(given, { kind: 'absent', attribute: 'pk' })).toEqual({ kind: 'refused', item });
      expect(await store().update(key, { set: { wa: given.wa } }, EXISTS)).toEqual({ kind: 'written', item });
    });

    it('keep members that are empty or look alike', async () => {
      const wa = ['', '0', '00', 'A', 'a', 'a ', '\u0000'].toSorted();
      expect(await store().get(await putSet(wa))).toMatchObject({ wa });
    });

    it('are replaced and removed as a whole, and take the place of other values', async () => {
      const key = await putSet(['1', '2'], { text: 'x', n: 1 });
      const change = { set: { wa: ['3'], text: ['4'], n: ['5', '6'] } };
      expect(await store().update(key, change, EXISTS)).toMatchObject({ item: { ...key, ...change.set } });
      const other = { set: { text: 'y', n: 2 }, remove: ['wa'] };
      expect(await store().update(key, other, EXISTS)).toEqual({ kind: 'written', item: { ...key, text: 'y', n: 2 } });
    });

    it('are the own copy of the store', async () => {
      const key = newKey();
      const [put, set] = [['1'], ['2']];
      const written = await store().put({ ...key, put });
      const updated = await store().update(key, { set: { set } }, EXISTS);
      const got = await store().get(key);
      for (const each of [put, set, written.item?.put, updated.item?.put, updated.item?.set, got?.put, got?.set]) {
        (each as string[]).push('a');
      }
      expect(await store().get(key)).toEqual({ ...key, put: ['1'], set: ['2'] });
    });

    it('count as present, and never as equal to, above or below a value', async () => {
      const attribute = 'wa';
      const holding: readonly Condition[] = [
        { kind: 'present', attribute },
        { kind: 'not', condition: { kind: 'equal', attribute, value: '1' } },
        { kind: 'not', condition: { kind: 'oneOf', attribute, values: ['1', 1] } },
        { kind: 'not', condition: { kind: 'below', attribute, value: 2 } },
        { kind: 'not', condition: { kind: 'atMost', attribute, value: 1 } },
      ];
      const key = await putSet(['1']);
      for (const condition of holding) {
        expect(await store().update(key, { add: { n: 1 } }, condition)).toMatchObject({ kind: 'written' });
        const opposite: Condition = { kind: 'not', condition };
        expect(await store().update(key, { add: { n: 1 } }, opposite)).toMatchObject({ kind: 'refused' });
      }
    });
  });

  describe('take', () => {
    it('takes out members, and gives what is left', async () => {
      const key = await putSet(['1', '2', '3', '4']);
      expect(await take(key, ['3'])).toEqual({ kind: 'written', item: { ...key, wa: ['1', '2', '4'] } });
      expect(await take(key, ['4', '1'])).toEqual({ kind: 'written', item: { ...key, wa: ['2'] } });
      expect(await store().get(key)).toEqual({ ...key, wa: ['2'] });
    });

    it('takes out nothing the second time, nor what was never in it', async () => {
      const key = await putSet(['1', '2']);
      const left = { kind: 'written', item: { ...key, wa: ['2'] } };
      expect(await take(key, ['1'])).toEqual(left);
      expect(await take(key, ['1'])).toEqual(left);
      expect(await take(key, ['1', '12', '02', ''])).toEqual(left);
    });

    it('leaves no attribute behind with the last member', async () => {
      const key = await putSet(['1', '2']);
      const isEmpty: Condition = { kind: 'absent', attribute: 'wa' };
      expect(await store().update(key, { take: { wa: ['1'] } }, isEmpty)).toMatchObject({ kind: 'refused' });
      expect(await take(key, ['2', '1', '3'])).toEqual({ kind: 'written', item: key });
      expect(await store().get(key)).toEqual(key);
      expect(await store().update(key, { set: { st: 'WOKEN' } }, isEmpty)).toMatchObject({ kind: 'written' });
      expect(await take(key, ['1'])).toEqual({ kind: 'written', item: { ...key, st: 'WOKEN' } });
    });

    it('goes together with every other change of one update', async () => {
      const key = await putSet(['1', '2'], { wk: 4, ow: 'me' });
      await store().update(key, { set: { wy: ['2'] } }, EXISTS);
      const change: ItemChange = {
        set: { du: 60_000, ws: ['7'] },
        add: { wk: 1, n: 1 },
        remove: ['ow', 'never-there'],
        take: { wa: ['2'], wy: ['2'], wz: ['2'] },
      };
      const item = { ...key, wa: ['1'], wk: 5, n: 1, du: 60_000, ws: ['7'] };
      expect(await store().update(key, change, { kind: 'equal', attribute: 'wk', value: 4 })).toEqual({
        kind: 'written',
        item,
      });
      expect(await store().get(key)).toEqual(item);
    });

    it('takes nothing where the condition does not hold', async () => {
      const key = await putSet(['1', '2'], { wk: 4 });
      const condition: Condition = { kind: 'equal', attribute: 'wk', value: 5 };
      expect(await store().update(key, { take: { wa: ['1'] } }, condition)).toEqual({
        kind: 'refused',
        item: { ...key, wa: ['1', '2'], wk: 4 },
      });
    });

    it('lets exactly one of many at once take the last member', async () => {
      const members = ordinals.slice(0, 16);
      const key = await putSet(members);
      const results = await Promise.all(members.map((member) => take(key, [member])));
      expect(results.filter(({ item }) => item?.wa === undefined)).toEqual([{ kind: 'written', item: key }]);
      expect(await store().get(key)).toEqual(key);
    });

    it('takes attribute names that are reserved words or no identifiers', async () => {
      const key = newKey();
      await store().put({ ...key, set: ['1', '2'], 'a.b': ['1', '2'], '#a': ['1'] });
      const change = { take: { set: ['1'], 'a.b': ['2'], '#a': ['1'] } };
      expect(await store().update(key, change, EXISTS)).toMatchObject({ item: { ...key, set: ['2'], 'a.b': ['1'] } });
    });

    it.each<[string, ItemChange]>([
      ['takes', { take: { wa: ['1'] } }],
      ['removes', { remove: ['wa'] }],
      ['does nothing', {}],
    ])('creates nothing where an update only %s', async (_, change) => {
      const key = newKey();
      expect(await store().update(key, change, ALWAYS)).toEqual({ kind: 'refused', item: undefined });
      expect(await store().get(key)).toBeUndefined();
    });

    it('does not hinder an update from creating an item', async () => {
      const key = newKey();
      const change = { set: { a: 1 }, take: { wa: ['1'] } };
      expect(await store().update(key, change, ALWAYS)).toEqual({ kind: 'written', item: { ...key, a: 1 } });
    });
  });

  describe('large sets of text', () => {
    it('hold 1,000 ordinals, and lose them one by one or many at once', async () => {
      const key = await putSet(ordinals.toReversed());
      expect(await store().get(key)).toEqual({ ...key, wa: ordinals });
      expect(await take(key, ['500'])).toMatchObject({ item: { wa: ordinals.filter((each) => each !== '500') } });
      expect(await take(key, ordinals.slice(1))).toEqual({
        kind: 'written',
        item: { ...key, wa: ordinals.slice(0, 1) },
      });
    });

    it('count with the bytes of their members and nothing else', async () => {
      const key = newKey();
      const used = key.pk.length + key.sk.length + 'pkskwa'.length + ordinals.join('').length;
      const setOf = (bytes: number) => [...ordinals, 'x'.repeat(bytes - used)];
      const largest = 400 * 1_024;
      expect(await store().put({ ...key, wa: setOf(largest) })).toMatchObject({ kind: 'written' });
      await expect(store().put({ ...key, wa: setOf(largest + 1) })).rejects.toThrow();
      await expect(store().update(key, { set: { wa: setOf(largest + 1) } }, EXISTS)).rejects.toThrow();
      await expect(store().update(key, { set: { a: '' } }, EXISTS)).rejects.toThrow();
      expect(await take(key, ['7'])).toMatchObject({ kind: 'written' });
      expect(await store().update(key, { set: { a: '' } }, EXISTS)).toMatchObject({ kind: 'written' });
    });
  });

  describe('refusals of sets', () => {
    const odd: readonly (readonly [string, readonly string[]])[] = [
      ['without members', []],
      ['with a member twice', ['1', '2', '1']],
      ['of text and numbers', ['1', 2 as never]],
      ['of numbers', [1 as never]],
      ['with an ill-formed text', ['\ud83d']],
    ];

    it.each(odd)('refuses a set %s', async (_, members) => {
      const there = { ...newKey(), wa: ['1', '2'] };
      await store().put(there);
      const isOther: Condition = { kind: 'absent', attribute: 'wa' };
      for (const call of [
        () => store().put({ ...there, wa: members }),
        () => store().put({ ...there, wa: members }, isOther),
        () => store().update(there, { set: { wa: members } }, EXISTS),
        () => store().update(there, { set: { wa: members } }, isOther),
        () => store().update(there, { take: { wa: members } }, EXISTS),
        () => store().update(there, { take: { wa: members } }, isOther),
      ]) {
        await expect(call()).rejects.toThrow();
      }
      expect(await store().get(there)).toEqual(there);
    });

    const set = ['1'] as never;
    const there = { text: 'x', n: 1, wa: ['1'], gs: 'shard', du: 1 };
    const comparison = (condition: Condition) => (key: ReturnType<typeof newKey>) =>
      store().update(key, { set: { a: 1 } }, condition);
    const change = (given: ItemChange) => (key: ReturnType<typeof newKey>) => store().update(key, given, EXISTS);

    it.each<[string, (key: ReturnType<typeof newKey>) => Promise<unknown>]>([
      ['to compare with one', comparison({ kind: 'equal', attribute: 'wa', value: set })],
      ['to compare with one and others', comparison({ kind: 'oneOf', attribute: 'wa', values: ['1', set] })],
      ['to order by one', comparison({ kind: 'below', attribute: 'wa', value: set })],
      ['one as pk', ({ sk }) => store().put({ pk: set, sk })],
      ['one as sk', ({ pk }) => store().put({ pk, sk: set })],
      ['one as gs', (key) => store().put({ ...key, gs: ['1'], du: 1 })],
      ['one as du', (key) => store().put({ ...key, gs: 'shard', du: ['1'] })],
      ['one as gs in update', change({ set: { gs: ['1'] } })],
      ['one as du in update', change({ set: { du: ['1'] } })],
      ['to add to one', change({ add: { wa: 1 } })],
      ['to add one', change({ add: { n: set } })],
      ['to add one to another', change({ add: { wa: set } })],
      ['to take from a text', change({ take: { text: ['x'] } })],
      ['to take from a number', change({ take: { n: ['1'] } })],
      ['to take from a key', change({ take: { sk: ['RUN'] } })],
      ['to take from an index attribute', change({ take: { gs: ['shard'] } })],
      ['to take and set', change({ set: { wa: ['2'] }, take: { wa: ['1'] } })],
      ['to take and remove', change({ remove: ['wa'], take: { wa: ['1'] } })],
    ])('refuses %s', async (_, call) => {
      const key = newKey();
      await store().put({ ...key, ...there });
      await expect(call(key)).rejects.toThrow();
      expect(await store().get(key)).toEqual({ ...key, ...there });
    });
  });
}
