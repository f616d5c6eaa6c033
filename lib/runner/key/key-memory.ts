import type { Config } from '../../agent/config.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { KeyStore } from '../../store/key-store.ts';
import { INLINE_BYTES, type Payloads } from '../../store/payloads.ts';
import type { StoredText } from '../../store/stored-text.ts';
import type { MemoryContents, MemoryWrites } from '../engine/run-memory.ts';
import { memoryExpiry, memoryLifeLeft, memoryRefreshBelow } from '../retention.ts';
import type { StorePorts } from '../runner-ports.ts';
import type { KeyedRun } from './key-order.ts';

/** The short-term memory of a key as one of its runs sees and leaves it. */
export class KeyMemory {
  private readonly ports: StorePorts;
  private readonly config: Config;
  private readonly run: KeyedRun;
  private readonly payloads: Payloads;
  private readonly keys: KeyStore;

  constructor(options: {
    readonly ports: StorePorts;
    readonly config: Config;
    readonly run: KeyedRun;
    readonly payloads: Payloads;
  }) {
    this.ports = options.ports;
    this.config = options.config;
    this.run = options.run;
    this.payloads = options.payloads;
    this.keys = new KeyStore(options.ports.items, options.run.agent, options.run.key);
  }

  /** What the run began with: the view that an earlier life left, else what the key holds. */
  async load(view: StoredText | undefined): Promise<MemoryContents> {
    if (view) return JSON.parse(await this.payloads.load(view)) as MemoryContents;
    const contents: Record<string, string> = {};
    for (const field of await this.keys.readMemory()) {
      const left = memoryLifeLeft(field.ttl, this.run.createdAt, this.config);
      if (field.value === undefined || left <= 0) continue;
      contents[field.field] = field.value;
      // Reading keeps a field alive.
      if (left < memoryRefreshBelow(this.config)) await this.keys.putMemory({ ...field, ttl: this.expiry() });
    }
    return contents;
  }

  /** E5: puts the changed fields, but only while the run holds the key under the turn of this life. */
  async keep(writes: MemoryWrites, outcomeFailed: boolean): Promise<void> {
    const head = await this.keys.readHead();
    const turn = this.run.turn;
    if (turn === undefined || head.activeRunId !== this.run.runId || head.turn !== turn) return;
    if (outcomeFailed) await this.keepView();
    for (const [field, value] of Object.entries(writes)) {
      await this.keys.putMemory({ field, ...(value === null ? {} : { value }), turn, ttl: this.expiry() });
    }
  }

  /** A FAILED run may be redriven after the key has moved on; its replay must see the old memory. The first view counts. */
  private async keepView(): Promise<void> {
    const view = JSON.stringify(await this.load(undefined));
    // Whatever its size: each field was accepted on its own, and no end of a run may fail over their sum.
    const inline = Buffer.byteLength(view, 'utf8') <= INLINE_BYTES;
    const stored = inline ? { text: view } : { reference: JSON.stringify(await this.payloads.saveOutside(view)) };
    await new JournalStore(this.ports.items, this.run.runId, this.run.ttl).putMemoryView(stored);
  }

  private expiry(): number {
    return memoryExpiry(this.ports.clock.now(), this.config);
  }
}
