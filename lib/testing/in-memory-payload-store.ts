import { createHash } from 'node:crypto';
import { AgentError } from '../errors/agent-error.ts';
import type { PayloadReference, PayloadStore } from '../ports/payload-store.ts';
import { utf8Length } from './utf8.ts';

const BUCKET = 'in-memory';

/** The bucket in memory. Each method takes effect before it returns its promise. */
export class InMemoryPayloadStore implements PayloadStore {
  readonly #texts = new Map<string, string>();

  /** The keys that are stored, in the order of their first put. */
  keys(): readonly string[] {
    return [...this.#texts.keys()];
  }

  async put(folder: string, text: string): Promise<PayloadReference> {
    const sha256 = digest(text);
    const key = `payload/${folder}/${sha256}`;
    if (!this.#texts.has(key)) {
      this.#texts.set(key, text);
    }
    return { bucket: BUCKET, key, bytes: utf8Length(text), sha256 };
  }

  async get({ bucket, key, sha256 }: PayloadReference): Promise<string> {
    const text = bucket === BUCKET ? this.#texts.get(key) : undefined;
    if (text === undefined || digest(text) !== sha256) {
      throw new AgentError(
        'PAYLOAD_MISSING',
        `Payload "${key}" is missing from bucket "${bucket}" or differs from its digest. Check whether it expired or was pruned.`,
      );
    }
    return text;
  }

  /** Removes a stored text, as the expiry of the bucket does. */
  expire(key: string): void {
    this.#texts.delete(key);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
