import type { Condition, ItemChange, ItemStore, WriteResult } from '../ports/item-store.ts';
import { absent, all, any, below, equal, exists, isNew, not } from './conditions.ts';
import { pollEntryKey, pollKey, pollPrefix, runKey } from './keys.ts';
import {
  type EntryState,
  entryAttribute,
  fromPollRecordItem,
  type PollEntry,
  type PollRecord,
  type Polls,
  toPollEntryItem,
  toPollRecordItem,
  toPolls,
} from './poll-records.ts';

/** `refused`: the condition did not hold; `record` is what stands there. */
export type PollWriteResult =
  | { readonly kind: 'written'; readonly record: PollRecord }
  | { readonly kind: 'refused'; readonly record: PollRecord | undefined };

/** `undefined` clears a member. */
export type EntryChange = { readonly [Member in keyof EntryState]?: number | undefined };

/** The POLL items of one run. Steps are named as in the store protocol. As in the journal, what has another `ttl` is of an earlier life of the id. */
export class PollStore {
  readonly #items: ItemStore;
  readonly #runId: string;
  readonly #ttl: number;

  constructor(items: ItemStore, runId: string, ttl: number) {
    this.#items = items;
    this.#runId = runId;
    this.#ttl = ttl;
  }

  /** P1: the remote has taken the call. */
  async putEntry(entry: PollEntry): Promise<void> {
    await this.#items.put(toPollEntryItem(this.#runId, entry, this.#ttl), any(isNew, below('ttl', this.#ttl)));
  }

  /** R1: the record is read before the entries. */
  async read(intervalMillis: number): Promise<Polls> {
    const items = await this.#items.query({ pk: runKey(this.#runId).pk, prefix: pollPrefix(intervalMillis) });
    return toPolls(items.filter(({ ttl }) => ttl === this.#ttl));
  }

  async get(intervalMillis: number): Promise<PollRecord | undefined> {
    const item = await this.#items.get(pollKey(this.#runId, intervalMillis));
    return item?.ttl === this.#ttl ? fromPollRecordItem(item) : undefined;
  }

  /** P2: counts on the poller that runs; refused when none does. */
  async join(intervalMillis: number): Promise<PollWriteResult> {
    return this.#updateRecord(intervalMillis, { add: { v: 1 } }, [equal('on', 1)]);
  }

  /** P3: the next generation. Refused when somebody else was faster. @param over the generation is known to be over, whatever its record says */
  async raise(intervalMillis: number, seen: PollRecord | undefined, over: boolean): Promise<PollWriteResult> {
    if (seen === undefined) {
      const first: PollRecord = { intervalMillis, generation: 1, version: 1, on: 1 };
      const item = toPollRecordItem(this.#runId, first, this.#ttl);
      return this.#result(await this.#items.put(item, any(isNew, below('ttl', this.#ttl))));
    }
    const change = {
      set: { g: seen.generation + 1, on: 1, dd: over ? deadAfter(seen) : (seen.dead ?? 0) },
      add: { v: 1 },
      remove: ['cl'],
    };
    // As it was seen: who ended it meanwhile with a word did not die.
    const { endedGeneration: ended } = seen;
    const same = [equal('g', seen.generation), ended === undefined ? absent('er') : equal('er', ended)];
    return this.#updateRecord(intervalMillis, change, over ? same : [...same, not(equal('on', 1))]);
  }

  /** R3: no call is left, and none was added since. */
  async endIdle(seen: PollRecord): Promise<PollWriteResult> {
    return this.#end(seen, [equal('v', seen.version)]);
  }

  /** R4: the rounds of an execution are used up. */
  async endSpent(seen: PollRecord): Promise<PollWriteResult> {
    return this.#end(seen, []);
  }

  /** E2: the run has ended. */
  async close(intervalMillis: number): Promise<void> {
    await this.#updateRecord(intervalMillis, { set: { cl: 1, dd: 0 }, add: { v: 1 }, remove: ['on'] }, []);
  }

  /** Changes what is known of a call. A call that has ended meanwhile stays as it is. */
  async updateEntry({ intervalMillis, ordinal }: PollEntry, state: EntryChange): Promise<void> {
    const set: Record<string, number> = {};
    const remove: string[] = [];
    for (const [name, value] of Object.entries(state)) {
      if (value === undefined) remove.push(entryAttribute(name as keyof EntryState));
      else set[entryAttribute(name as keyof EntryState)] = value;
    }
    const change: ItemChange = {
      ...(Object.keys(set).length > 0 ? { set } : {}),
      ...(remove.length > 0 ? { remove } : {}),
    };
    await this.#items.update(pollEntryKey(this.#runId, intervalMillis, ordinal), change, all(exists, this.#isOurs));
  }

  async deleteEntry({ intervalMillis, ordinal }: Pick<PollEntry, 'intervalMillis' | 'ordinal'>): Promise<void> {
    await this.#items.delete(pollEntryKey(this.#runId, intervalMillis, ordinal));
  }

  #end(seen: PollRecord, conditions: readonly Condition[]): Promise<PollWriteResult> {
    const change = { set: { er: seen.generation, dd: 0 }, remove: ['on'] };
    return this.#updateRecord(seen.intervalMillis, change, [equal('g', seen.generation), ...conditions]);
  }

  async #updateRecord(
    intervalMillis: number,
    change: ItemChange,
    conditions: readonly Condition[],
  ): Promise<PollWriteResult> {
    const key = pollKey(this.#runId, intervalMillis);
    return this.#result(await this.#items.update(key, change, all(exists, this.#isOurs, ...conditions)));
  }

  get #isOurs() {
    return equal('ttl', this.#ttl);
  }

  #result(result: WriteResult): PollWriteResult {
    if (result.kind === 'written') return { kind: 'written', record: fromPollRecordItem(result.item) };
    const record = result.item?.ttl === this.#ttl ? fromPollRecordItem(result.item) : undefined;
    return { kind: 'refused', record };
  }
}

/** Dead generations in a row, when this one is over: it is not dead if it wrote that it ended. */
export const deadAfter = ({ generation, endedGeneration, dead = 0 }: PollRecord): number =>
  endedGeneration === generation ? 0 : dead + 1;
