import type { Condition, Item, ItemKey, ItemStore, WriteResult } from '../ports/item-store.ts';
import { absent, all, any, atMost, equal, isNew } from './conditions.ts';
import { decodeKeyPart, headKey, INBOX_PREFIX, inboxKey, MEMORY_PREFIX, memoryKey } from './keys.ts';

/** Who holds a key. `version` is raised by every write, `turn` whenever the key is given to a run. */
export interface KeyHead {
  readonly activeRunId: string | undefined;
  readonly turn: number;
  readonly version: number;
  /** Whether the item is there at all. */
  readonly stored: boolean;
}

/** A parked request, in the order of its queue. */
export interface InboxEntry {
  readonly sequence: string;
  readonly runId: string;
  /** Redrives of the run when it was parked. Each life has an entry of its own: who deletes one late never meets the next. */
  readonly life: number;
}

export interface MemoryField {
  readonly field: string;
  /** Stored value; absent: the field was cleared. */
  readonly value?: string;
  readonly turn: number;
  readonly ttl: number;
}

export type HeadWriteResult = { readonly kind: 'written'; readonly head: KeyHead } | { readonly kind: 'refused' };

const NO_HEAD: KeyHead = { activeRunId: undefined, turn: 0, version: 0, stored: false };

/** The items of one key: its HEAD, the requests parked behind it, its short-term memory. */
export class KeyStore {
  private readonly items: ItemStore;
  private readonly agent: string;
  private readonly key: string;
  private readonly pk: string;

  constructor(items: ItemStore, agent: string, key: string) {
    this.items = items;
    this.agent = agent;
    this.key = key;
    this.pk = headKey(agent, key).pk;
  }

  /** A3: one read; HEAD sorts before INBOX. */
  async readHeadAndFirst(): Promise<{ readonly head: KeyHead; readonly first: InboxEntry | undefined }> {
    // HEAD < INBOX < MEM in sort order; without a HEAD the second item may be a memory field.
    const items = await this.items.query({ pk: this.pk, limit: 2 });
    const head = items.find((item) => item.sk === 'HEAD');
    const first = items.find((item) => item.sk.startsWith(INBOX_PREFIX));
    return { head: head ? fromHeadItem(head) : NO_HEAD, first: first && fromInboxItem(first) };
  }

  async readHead(): Promise<KeyHead> {
    const item = await this.items.get(headKey(this.agent, this.key));
    return item ? fromHeadItem(item) : NO_HEAD;
  }

  async firstParked(): Promise<InboxEntry | undefined> {
    const [item] = await this.items.query({ pk: this.pk, prefix: INBOX_PREFIX, limit: 1 });
    return item && fromInboxItem(item);
  }

  /** A4, K2: gives the key to a run. `seen` must still stand. */
  async give(seen: KeyHead, runId: string, now: number, ttl: number): Promise<HeadWriteResult> {
    const head = {
      activeRunId: runId,
      turn: Math.max(seen.turn + 1, now),
      version: Math.max(seen.version + 1, now),
      stored: true,
    };
    const change = { set: { ac: runId, tn: head.turn, vn: head.version, ttl } };
    return headResult(await this.items.update(headKey(this.agent, this.key), change, asSeen(seen)), head);
  }

  /** K4: frees the key. */
  async free(seen: KeyHead, now: number, ttl: number): Promise<HeadWriteResult> {
    const head = { ...seen, activeRunId: undefined, version: Math.max(seen.version + 1, now) };
    const change = { set: { vn: head.version, ttl }, remove: ['ac'] };
    return headResult(await this.items.update(headKey(this.agent, this.key), change, asSeen(seen)), head);
  }

  /** K5: after this nobody who saw an older HEAD can give the key away. */
  async fence(seen: KeyHead, now: number, ttl: number): Promise<HeadWriteResult> {
    const head = { ...seen, version: Math.max(seen.version + 1, now), stored: true };
    const change = { set: { vn: head.version, ttl, ...(seen.stored ? {} : { tn: seen.turn }) } };
    return headResult(await this.items.update(headKey(this.agent, this.key), change, asSeen(seen)), head);
  }

  /** A5: parks a request. The same request writes the same item again. */
  async putInbox(entry: InboxEntry, ttl: number): Promise<void> {
    await this.items.put({
      ...this.inboxKey(entry),
      id: entry.runId,
      sq: entry.sequence,
      ...(entry.life === 0 ? {} : { rd: entry.life }),
      ttl,
    });
  }

  async deleteInbox(entry: InboxEntry): Promise<void> {
    await this.items.delete(this.inboxKey(entry));
  }

  async readMemory(): Promise<readonly MemoryField[]> {
    const items = await this.items.query({ pk: this.pk, prefix: MEMORY_PREFIX });
    return items.map((item) => ({
      field: decodeKeyPart(item.sk.slice(MEMORY_PREFIX.length)),
      ...(item.val === undefined ? {} : { value: String(item.val) }),
      turn: Number(item.tn),
      ttl: Number(item.ttl),
    }));
  }

  /** E5: an older turn never overwrites a newer one. */
  async putMemory(field: MemoryField): Promise<WriteResult['kind']> {
    const item: Item = {
      ...memoryKey(this.agent, this.key, field.field),
      ...(field.value === undefined ? {} : { val: field.value }),
      tn: field.turn,
      ttl: field.ttl,
    };
    return (await this.items.put(item, any(isNew, atMost('tn', field.turn)))).kind;
  }

  private inboxKey({ sequence, runId, life }: InboxEntry): ItemKey {
    return inboxKey(this.agent, this.key, sequence, runId, life);
  }
}

function asSeen(seen: KeyHead): Condition {
  if (!seen.stored) return isNew;
  const active = seen.activeRunId === undefined ? absent('ac') : equal('ac', seen.activeRunId);
  return all(active, equal('vn', seen.version));
}

const headResult = (result: WriteResult, head: KeyHead): HeadWriteResult =>
  result.kind === 'written' ? { kind: 'written', head } : { kind: 'refused' };

const fromHeadItem = (item: Item): KeyHead => ({
  activeRunId: item.ac === undefined ? undefined : String(item.ac),
  turn: Number(item.tn),
  version: Number(item.vn),
  stored: true,
});

const fromInboxItem = (item: Item): InboxEntry => ({
  sequence: String(item.sq),
  runId: String(item.id),
  life: Number(item.rd ?? 0),
});
