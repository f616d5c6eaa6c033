import { describe, expect, it } from 'vitest';
import { INLINE_BYTES, Payloads } from '../../../lib/store/payloads.ts';
import { InMemoryPayloadStore } from '../../../lib/testing/in-memory-payload-store.ts';

function setup(maxBytes = 1_000_000, runId = 'run/1') {
  const store = new InMemoryPayloadStore();
  return { store, payloads: new Payloads(store, runId, maxBytes) };
}

describe('a stored text', () => {
  it('stands where it belongs up to 64 KB, and in the payload store above', async () => {
    const { store, payloads } = setup();
    const inline = 'x'.repeat(INLINE_BYTES);
    expect(await payloads.save('It', inline)).toEqual({ text: inline });
    expect(store.keys()).toEqual([]);
    const outside = await payloads.save('It', `${inline}x`);
    expect(outside.text).toBeUndefined();
    expect(await payloads.load(outside)).toBe(`${inline}x`);
  });

  it('is measured in bytes', async () => {
    const { payloads } = setup();
    expect((await payloads.save('It', 'é'.repeat(INLINE_BYTES / 2))).text).toBeDefined();
    expect((await payloads.save('It', 'é'.repeat(INLINE_BYTES / 2 + 1))).reference).toBeDefined();
  });

  it('may be empty', async () => {
    const { payloads } = setup();
    expect(await payloads.load(await payloads.save('It', ''))).toBe('');
  });

  it('lies in the folder of its run, whatever the run is called', async () => {
    const { store, payloads } = setup(1_000_000, '../other run');
    await payloads.save('It', 'x'.repeat(INLINE_BYTES + 1));
    expect(store.keys()[0]).toMatch(/^payload\/\.\.%2Fother%20run\/[0-9a-f]{64}$/);
  });

  it('above the maximum is refused with its size and the limit', async () => {
    const { store, payloads } = setup(10);
    expect(await payloads.save('It', 'x'.repeat(10))).toEqual({ text: 'x'.repeat(10) });
    await expect(payloads.save('The answer', 'x'.repeat(11))).rejects.toMatchObject({
      name: 'TerminalAgentError',
      code: 'PAYLOAD_TOO_LARGE',
      message:
        'The answer has 11 bytes, the limit is 10 ("payload.max-bytes"). Store it elsewhere and pass a reference.',
    });
    expect(store.keys()).toEqual([]);
  });
});
