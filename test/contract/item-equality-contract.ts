import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeValue, Condition, ItemChange, ItemStore, ScalarValue } from '../../lib/ports/item-store.ts';
import { InMemoryItemStore } from '../../lib/testing/in-memory-item-store.ts';
import type { ItemStoreContractOptions } from './item-limits-contract.ts';
import { newKey } from './support/item-keys.ts';

type Attributes = Record<string, AttributeValue>;

// Few names and values, so that conditions meet what they ask for.
const attribute = fc.constantFrom('a', 'b', 'c');
const number = fc.integer({ min: -2, max: 3 });
const value = fc.oneof(number, fc.constantFrom('', '1', 'x', 'ä'));
const members = fc.uniqueArray(fc.constantFrom('', '1', 'x', 'ä', '😀', '\uffee'), { minLength: 1 });
const attributes = fc.dictionary(attribute, fc.oneof(value, members));
const sortKey = fc.string({
  unit: fc.constantFrom('#', 'a', 'z', '0', 'ä', '漢', '\uffee', '😀'),
  minLength: 1,
  maxLength: 3,
});

const conditions = (member: fc.Arbitrary<ScalarValue>) =>
  fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ kind: fc.constantFrom('absent', 'present'), attribute: fc.constantFrom('pk', 'a', 'b', 'c') }),
      fc.record({ kind: fc.constant('equal'), attribute, value }),
      fc.record({ kind: fc.constantFrom('below', 'atMost'), attribute, value: number }),
      fc.record({ kind: fc.constant('oneOf'), attribute, values: fc.array(member, { maxLength: 3 }) }),
      fc.record({ kind: fc.constant('not'), condition: tie('condition') }),
      fc.record({ kind: fc.constantFrom('all', 'any'), conditions: fc.array(tie('condition'), { maxLength: 3 }) }),
    ),
  })).condition;

const change: fc.Arbitrary<ItemChange> = fc
  .tuple(attributes, fc.dictionary(attribute, number), fc.uniqueArray(attribute), fc.dictionary(attribute, members))
  .map(([set, add, remove, take]) => ({
    set,
    add: without(add, Object.keys(set)),
    remove: remove.filter((name) => !(name in set) && !(name in add)),
    take: without(take, [...Object.keys(set), ...Object.keys(add), ...remove]),
  }));

/** That a store decides and changes as the one in memory does, whatever it is asked. */
export function itemEqualityContract(store: () => ItemStore, { isFaithful }: ItemStoreContractOptions): void {
  // dynalite never finds an empty text in a list.
  const condition = conditions(isFaithful ? value : value.filter((each) => each !== ''));

  describe('beside the store in memory', () => {
    it('gives the same for every conditional put and update', async () => {
      const property = async (before: Attributes | undefined, given: Condition, wanted: ItemChange) => {
        const key = newKey();
        const [expected, actual] = await inBoth(store(), async (each) => {
          if (before !== undefined) {
            await each.put({ ...key, ...before });
          }
          // Adding to no number and taking from no set are refused by an error, but only where the condition holds.
          const updated = await each.update(key, wanted, given).catch(() => 'error');
          return { updated, put: await each.put({ ...key, ...wanted.set }, given), left: await each.get(key) };
        });
        expect(actual).toEqual(expected);
      };
      await fc.assert(fc.asyncProperty(fc.option(attributes, { nil: undefined }), condition, change, property), {
        numRuns: 400,
      });
    });

    it('gives the same for every query', async () => {
      const property = async (sks: readonly string[], prefix: string, limit: number) => {
        const { pk } = newKey();
        const [expected, actual] = await inBoth(store(), async (each) => {
          await Promise.all(sks.map((sk) => each.put({ pk, sk })));
          return [await each.query({ pk }), await each.query({ pk, prefix, limit })];
        });
        expect(actual).toEqual(expected);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(sortKey, { maxLength: 12 }), sortKey, fc.integer({ min: 1, max: 5 }), property),
        {
          numRuns: 60,
        },
      );
    });
  });
}

function without<T>(attributes: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));
}

async function inBoth<T>(store: ItemStore, ask: (store: ItemStore) => Promise<T>): Promise<readonly [T, T]> {
  return [await ask(new InMemoryItemStore()), await ask(store)];
}
