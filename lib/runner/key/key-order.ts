import type { Config } from '../../agent/config.ts';
import type { InboxEntry, KeyHead } from '../../store/key-store.ts';
import { KeyStore } from '../../store/key-store.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { RunStore } from '../../store/run-store.ts';
import { DUE_NEAR_MILLIS, headExpiry } from '../retention.ts';
import type { StorePorts } from '../runner-ports.ts';

/** A run that has a key. */
export type KeyedRun = RunRecord & { readonly key: string };

export type TakeKeyResult =
  /** The run holds its key under this turn. */
  | { readonly kind: 'active'; readonly turn: number }
  /** Another run holds it; this one waits in the key's inbox. */
  | { readonly kind: 'parked' }
  /** The run is no longer PARKED. */
  | { readonly kind: 'moved-on' };

/** Who holds a key, and who comes next. One run of a key is active; the others wait in the order of their queue. */
export class KeyOrder {
  private readonly ports: StorePorts;
  private readonly config: Config;
  private readonly runs: RunStore;

  constructor(ports: StorePorts, config: Config) {
    this.ports = ports;
    this.config = config;
    this.runs = new RunStore(ports.items);
  }

  /** A3 to A5: takes the key if it is free and nobody was there before, else parks the run behind it. */
  async take(run: KeyedRun): Promise<TakeKeyResult> {
    const keys = this.keysOf(run);
    const mine: InboxEntry = { sequence: run.sequence, runId: run.runId, life: run.redrives };
    for (let parked = false; ; ) {
      const { head, first } = await keys.readHeadAndFirst();
      if (head.activeRunId === run.runId) return { kind: 'active', turn: head.turn };
      if ((await this.runs.get(run.runId))?.status !== 'PARKED') return { kind: 'moved-on' };
      if (head.activeRunId === undefined && (first === undefined || first.runId === run.runId)) {
        if (first && !(await this.mark(run.runId))) continue;
        const given = await this.give(keys, head, run.runId);
        if (given === undefined) continue;
        if (first) await keys.deleteInbox(first);
        return { kind: 'active', turn: given.turn };
      }
      if (!parked) {
        await keys.putInbox(mine, run.ttl);
        parked = true;
      } else if (head.activeRunId === undefined) {
        await this.passOn(run, keys, head);
      } else {
        await this.remindActive(run, keys, head, this.now() + DUE_NEAR_MILLIS);
        return { kind: 'parked' };
      }
    }
  }

  /** E6: hands the key of an ended run to the next one, or frees it. */
  async release(run: KeyedRun): Promise<void> {
    const keys = this.keysOf(run);
    for (let mayBeGiven = run.neverDriven !== undefined; ; ) {
      const head = await keys.readHead();
      if (head.activeRunId === run.runId) {
        // With another turn the key belongs to a later life of this run.
        if (head.turn !== run.turn && run.neverDriven === undefined) return;
        if (await this.passOn(run, keys, head)) return;
      } else if (mayBeGiven) {
        mayBeGiven = (await keys.fence(head, this.now(), this.expiry())).kind === 'refused';
      } else if (head.activeRunId === undefined) {
        if (await this.passOn(run, keys, head)) return;
      } else {
        await this.remindActive(run, keys, head, 0);
        return;
      }
    }
  }

  /** K1, K2, K4: from the run that holds the key, or from a free key. `false`: HEAD has changed, look again. */
  private async passOn(run: KeyedRun, keys: KeyStore, seen: KeyHead): Promise<boolean> {
    let head = seen;
    for (;;) {
      const next = await this.firstWaiting(keys);
      if (next) return this.handOver(run, keys, head, next);
      if (head.activeRunId === undefined) return true;
      const freed = await keys.free(head, this.now(), this.expiry());
      if (freed.kind === 'refused') return false;
      // Somebody may have parked between the look at the inbox and the freeing: he saw a busy key and waits for us.
      head = freed.head;
    }
  }

  /** The first parked request whose run still waits; entries of others are leftovers. */
  private async firstWaiting(keys: KeyStore): Promise<InboxEntry | undefined> {
    for (;;) {
      const entry = await keys.firstParked();
      if (entry === undefined || (await this.runs.get(entry.runId))?.status === 'PARKED') return entry;
      await keys.deleteInbox(entry);
    }
  }

  /** K2, K3. A free key: K3's mark comes first, since after K2 nobody is bound to come back for it. */
  private async handOver(run: KeyedRun, keys: KeyStore, head: KeyHead, next: InboxEntry): Promise<boolean> {
    const isFree = head.activeRunId === undefined;
    if (isFree && !(await this.mark(next.runId))) return false;
    if ((await this.give(keys, head, next.runId)) === undefined) return false;
    if (!isFree) await this.mark(next.runId);
    await keys.deleteInbox(next);
    await this.wake(run, next.runId);
    return true;
  }

  /**
   * Whoever gave the key away may have died before he told the run: it is PARKED, and not due before `dueAfter`.
   * Its entry in the inbox is left to its end: it may by now wait again, in a later life. A run that is gone holds no key.
   */
  private async remindActive(run: KeyedRun, keys: KeyStore, head: KeyHead, dueAfter: number): Promise<void> {
    const active = await this.runs.get(head.activeRunId ?? '');
    if (active === undefined) await this.passOn(run, keys, head);
    else if (active.status === 'PARKED' && (active.dueAt ?? 0) > dueAfter) {
      await this.mark(active.runId);
      await this.wake(run, active.runId);
    }
  }

  private async wake(run: KeyedRun, runId: string): Promise<void> {
    await this.ports.wakes.send({ runId, reason: run.runId === runId ? 'accepted' : 'handed-over' });
  }

  /** Makes a parked run due, and its wake count differ from what anybody has read before. `false`: it is no longer PARKED. */
  private async mark(runId: string): Promise<boolean> {
    return (await this.runs.handOver(runId, this.now() + DUE_NEAR_MILLIS)).kind === 'written';
  }

  private async give(keys: KeyStore, head: KeyHead, runId: string): Promise<KeyHead | undefined> {
    const result = await keys.give(head, runId, this.now(), this.expiry());
    return result.kind === 'written' ? result.head : undefined;
  }

  private keysOf(run: KeyedRun): KeyStore {
    return new KeyStore(this.ports.items, run.agent, run.key);
  }

  private now(): number {
    return this.ports.clock.now();
  }

  private expiry(): number {
    return headExpiry(this.now(), this.config);
  }
}

/** Narrows to a run that has a key. */
export const isKeyed = (run: RunRecord): run is KeyedRun => run.key !== undefined;
