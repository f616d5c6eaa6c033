import type { ItemKey } from '../../lib/ports/item-store.ts';
import type { PayloadReference } from '../../lib/ports/payload-store.ts';
import type { SimulatedDeployment } from '../../lib/testing/simulated-deployment.ts';
import type { GoldenJournal, GoldenWrite } from './golden-journal.ts';

/** Watches what is written, in order. */
export function watchWrites({
  items,
  payloads,
  clock,
}: SimulatedDeployment): Pick<GoldenJournal, 'writes' | 'payloads'> {
  const writes: GoldenWrite[] = [];
  const texts: { folder: string; text: string }[] = [];
  const note = ({ pk, sk }: ItemKey): void => {
    const item = items.items().find((stored) => stored.pk === pk && stored.sk === sk) ?? null;
    const before = writes.findLast(({ key }) => key[0] === pk && key[1] === sk);
    if (JSON.stringify(before?.item ?? null) !== JSON.stringify(item))
      writes.push({ key: [pk, sk], item, at: clock.now() });
  };
  const put = items.put.bind(items);
  const update = items.update.bind(items);
  const remove = items.delete.bind(items);
  items.put = async (item, condition) => put(item, condition).finally(() => note(item));
  items.update = async (key, change, condition) => update(key, change, condition).finally(() => note(key));
  items.delete = async (key) => remove(key).finally(() => note(key));
  const putText = payloads.put.bind(payloads);
  payloads.put = async (folder: string, text: string): Promise<PayloadReference> => {
    texts.push({ folder, text });
    return putText(folder, text);
  };
  return { writes, payloads: texts };
}
