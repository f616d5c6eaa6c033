import { TerminalAgentError } from '../errors/public-errors.ts';
import type { PayloadReference, PayloadStore } from '../ports/payload-store.ts';
import { encodeKeyPart } from './keys.ts';
import type { StoredText } from './stored-text.ts';

/** Longer texts leave a reference: an item holds 400 KB, and each kilobyte of it is a write unit. */
export const INLINE_BYTES = 65_536;

/** Stores texts of one run inline or outside the table; no reader notices the difference. */
export class Payloads {
  private readonly store: PayloadStore;
  private readonly folder: string;
  private readonly maxBytes: number;

  constructor(store: PayloadStore, runId: string, maxBytes: number) {
    this.store = store;
    this.folder = encodeKeyPart(runId);
    this.maxBytes = maxBytes;
  }

  /** @throws TerminalAgentError `PAYLOAD_TOO_LARGE` */
  async save(what: string, text: string): Promise<StoredText> {
    const bytes = Buffer.byteLength(text, 'utf8');
    if (bytes > this.maxBytes) {
      throw new TerminalAgentError(
        'PAYLOAD_TOO_LARGE',
        `${what} has ${bytes} bytes, the limit is ${this.maxBytes} ("payload.max-bytes"). Store it elsewhere and pass a reference.`,
      );
    }
    if (bytes <= INLINE_BYTES) return { text };
    return { reference: JSON.stringify(await this.store.put(this.folder, text)) };
  }

  /** Stores a text outside the table whatever its size. */
  saveOutside(text: string): Promise<PayloadReference> {
    return this.store.put(this.folder, text);
  }

  async load(stored: StoredText): Promise<string> {
    if (stored.text !== undefined) return stored.text;
    return this.store.get(JSON.parse(stored.reference ?? '') as PayloadReference);
  }
}
