import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { PayloadStore } from '../../lib/ports/payload-store.ts';

/** What every payload store does. `store` is called inside the tests, when the store is open. */
export function payloadStoreContract(store: () => PayloadStore): void {
  it.each([
    ['plain', 'hello'],
    ['empty', ''],
    ['not ASCII', 'ä 漢 😀 \u0000 \ufffe'],
    ['large', 'ä'.repeat(3_000_000)],
  ])('gives back a text that is %s', async (_, text) => {
    const reference = await store().put('run-1', text);
    expect(await store().get(reference)).toBe(text);
  });

  it('names the text by folder and content, and measures it in UTF-8', async () => {
    const sha256 = createHash('sha256').update('ä€').digest('hex');
    expect(await store().put('run%201', 'ä€')).toEqual({
      bucket: expect.stringMatching(/./),
      key: `payload/run%201/${sha256}`,
      bytes: 5,
      sha256,
    });
  });

  it('takes the same text again', async () => {
    const first = await store().put('run-2', 'same');
    expect(await store().put('run-2', 'same')).toEqual(first);
    expect(await store().get(first)).toBe('same');
  });

  it('keeps equal texts of two folders apart', async () => {
    const [one, other] = [await store().put('run-3', 'same'), await store().put('run-4', 'same')];
    expect(one.key).not.toBe(other.key);
    expect(one.sha256).toBe(other.sha256);
  });

  it('misses what was never stored', async () => {
    const reference = await store().put('run-5', 'there');
    await expect(store().get({ ...reference, key: `${reference.key}0` })).rejects.toMatchObject({
      name: 'AgentError',
      code: 'PAYLOAD_MISSING',
      message: expect.stringContaining(`${reference.key}0`),
    });
  });

  it('does not give out a text with another digest', async () => {
    const reference = await store().put('run-6', 'there');
    const other = createHash('sha256').update('other').digest('hex');
    await expect(store().get({ ...reference, sha256: other })).rejects.toMatchObject({ code: 'PAYLOAD_MISSING' });
  });
}
