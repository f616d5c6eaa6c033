import type { NeededPoller } from '../../polling/ensure-poller.ts';
import { type CallRecord, journalSlot, type SignalRecord } from '../../store/journal.ts';
import type { JournalStore } from '../../store/journal-store.ts';
import type { PollRecord } from '../../store/poll-records.ts';
import type { StoredText } from '../../store/stored-text.ts';
import type { DriveState } from './drive-state.ts';
import type { OpenSlot, Slots } from './slots.ts';
import { subagentFault } from './subagent-fault.ts';
import { TakenSignals } from './taken-signals.ts';

/** Something that happens outside the drive: a time that comes, a signal that arrives. */
export interface ExternalWait {
  readonly open: OpenSlot;
  /** When it ends by itself, milliseconds since 1970. @default never */
  readonly until: number | undefined;
  /** What its time does instead of ending it. */
  readonly onTime?: () => void;
  /** Of a call that a poller follows. */
  readonly intervalMillis?: number;
}

/** What is known of the outside when a drive begins. */
export interface KnownWorld {
  readonly store: JournalStore;
  /** The wake count of D1, before the journal was read. */
  readonly wakeCount: number;
  /** A time before the journal was read. */
  readonly readAt: number;
}

/** How a wait ends: with a signal, or because its time has come. */
interface Ending {
  /** When that happened, milliseconds since 1970. */
  readonly at: number;
  readonly open: OpenSlot;
  readonly signal?: SignalRecord;
}

/** Stored form of `undefined`: the outcome of a sleep, and of a wait for a signal that did not come in time. */
const NOTHING: StoredText = { text: '{"$":"undefined"}' };

const textOf = ({ text, reference }: StoredText): StoredText =>
  reference === undefined ? { text: text ?? '' } : { reference };

/** What the actions of a drive wait for outside it, and how such waits end. */
export class ExternalWaits {
  private readonly state: DriveState;
  private readonly slots: Slots;
  private readonly store: JournalStore;
  private readonly pending = new Map<number, ExternalWait>();
  /** Waits whose beginning is being recorded. */
  private readonly expected = new Set<OpenSlot>();
  private readonly taken: TakenSignals;
  private readonly timers = new Set<() => void>();
  private signals: readonly SignalRecord[];
  private pollers: ReadonlyMap<number, PollRecord>;
  /** Intervals of calls that were added in this drive, and that their poller was not told of. */
  private readonly joined = new Set<number>();
  private joinedSince: number | undefined;
  /** The run's wake count, and the time, before the signals were last read. */
  private knownWakeCount: number;
  private readAt: number;
  private isLooking = false;
  private hasChanged = false;

  constructor(state: DriveState, slots: Slots, { store, wakeCount, readAt }: KnownWorld) {
    this.state = state;
    this.slots = slots;
    this.store = store;
    this.knownWakeCount = wakeCount;
    this.readAt = readAt;
    this.signals = state.journal.signals;
    this.pollers = state.journal.polls.records;
    this.taken = new TakenSignals(state.journal);
  }

  get wakeCount(): number {
    return this.knownWakeCount;
  }

  /** A wait begins: until it is recorded, no later one takes a signal before it. */
  expect(open: OpenSlot): void {
    this.expected.add(open);
  }

  add(wait: ExternalWait): void {
    this.expected.delete(wait.open);
    this.pending.set(wait.open.ordinal, wait);
    if (wait.until !== undefined) this.startTimer(wait.until);
    this.hasChanged = true;
  }

  /** Somebody else has recorded how the wait ended. */
  leave(open: OpenSlot, record: CallRecord): void {
    this.expected.delete(open);
    this.pending.delete(open.ordinal);
    this.taken.addTakenBy(record);
    this.hasChanged = true;
  }

  /** The wait is over for whoever waited: user code gave it up. */
  drop({ ordinal }: OpenSlot): void {
    this.pending.delete(ordinal);
  }

  /** A call with this interval was added. */
  noteJoin(intervalMillis: number): void {
    this.joined.add(intervalMillis);
    this.joinedSince ??= this.state.clock.now();
  }

  /** The pollers of what waits now. */
  neededPollers(): readonly NeededPoller[] {
    const intervals = new Set(this.waiting().flatMap(({ intervalMillis }) => intervalMillis ?? []));
    return Array.from(intervals, (intervalMillis) => ({
      intervalMillis,
      known: this.pollers.get(intervalMillis),
      added: this.joined.has(intervalMillis),
    }));
  }

  /** Since when there is a call that no poller was told of. */
  get joinedAt(): number | undefined {
    return this.joinedSince;
  }

  /** Their pollers know of all of them. */
  notePolled(): void {
    this.joined.clear();
    this.joinedSince = undefined;
  }

  /** Ends what can end, once every action has come to its next wait: only then it is known what else has ended, and before. */
  settleQuietly(): void {
    if (this.hasChanged) this.settleReady();
  }

  /** Reads what has arrived: signals, and the ends of calls that others follow. @param wakeCount the run's count, read before */
  async look(wakeCount: number = this.knownWakeCount): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const readAt = this.state.clock.now();
      if (this.waiting().some(({ intervalMillis }) => intervalMillis !== undefined)) await this.readAll();
      else this.signals = await this.store.readSignals();
      this.readAt = readAt;
      this.knownWakeCount = wakeCount;
    } finally {
      this.isLooking = false;
    }
    this.settleReady();
  }

  /** A busy driver that finds a new mark looks whether something that it waits for has arrived. */
  notice(wakeCount: number): void {
    if (this.state.isOver || wakeCount === this.knownWakeCount) return;
    const isNews = ({ open, intervalMillis }: ExternalWait): boolean =>
      open.asked.signalName !== undefined || intervalMillis !== undefined;
    if (this.waiting().some(isNews)) this.state.runOutstanding(() => this.look(wakeCount));
  }

  private async readAll(): Promise<void> {
    const { journal } = await this.store.read();
    this.signals = journal.signals;
    this.pollers = journal.polls.records;
    for (const { open } of this.waiting()) {
      const record = journal.calls.get(journalSlot(open.action.queued.id, open.slot));
      if (record?.status === 'SUCCEEDED' || record?.status === 'FAILED') {
        this.leave(open, record);
        this.slots.adopt(open, record);
      } else if (record?.fault !== undefined) {
        this.state.stop({ kind: 'failed', error: subagentFault(open.asked.id, record.fault) });
      }
    }
  }

  /** What waits still, in the order in which the waits began. Those of ended actions wait for nothing. */
  waiting(): readonly ExternalWait[] {
    const alive = [...this.pending.values()].filter(({ open }) => open.action.state !== 'ended');
    return alive.sort((a, b) => a.open.ordinal - b.open.ordinal);
  }

  /** When the first wait ends by itself. */
  earliestEnd(): number | undefined {
    const ends = this.waiting().flatMap(({ until }) => (until === undefined ? [] : [until]));
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  close(): void {
    for (const cancel of this.timers) cancel();
  }

  /**
   * Ends the waits whose signal is there or whose time has come, in the order in which that happened.
   * Signals of a name go to the waits in the order in which these began.
   */
  private settleReady(): void {
    if (this.state.isOver) return;
    this.hasChanged = false;
    const ready: Ending[] = [];
    let isOutdated = false;
    for (const wait of this.waiting()) {
      const ending = this.endingOf(wait);
      if (ending === undefined) continue;
      if (ending === 'unknown') {
        isOutdated = true;
        continue;
      }
      ready.push(ending);
      if (ending.signal) this.taken.add(ending.signal);
    }
    for (const ending of ready.sort((a, b) => a.at - b.at)) this.settle(ending);
    if (isOutdated) this.state.runOutstanding(() => this.look());
  }

  /** How a wait can end now. `unknown`: a signal may have come in time since they were read. */
  private endingOf({ open, until }: ExternalWait): Ending | 'unknown' | undefined {
    const { signalName } = open.asked;
    if (this.isBehind(open)) return undefined;
    const signal = this.taken.next(this.signals, { signalName, until });
    if (signal) return { at: signal.arrivedAt, open, signal };
    if (until === undefined || until > this.state.clock.now()) return undefined;
    return signalName === undefined || this.readAt >= until ? { at: until, open } : 'unknown';
  }

  /** Whether a wait for the same signal began before and is not recorded yet. */
  private isBehind({ ordinal, asked: { signalName } }: OpenSlot): boolean {
    if (signalName === undefined) return false;
    return [...this.expected].some(
      (before) => before.asked.signalName === signalName && before.ordinal < ordinal && before.action.state !== 'ended',
    );
  }

  private settle({ open, signal }: Ending): void {
    const wait = this.pending.get(open.ordinal);
    this.pending.delete(open.ordinal);
    if (wait?.onTime && signal === undefined) return wait.onTime();
    this.state.runOutstanding(async () => {
      const stored = signal ? textOf(signal) : NOTHING;
      const details = signal ? { signalSequence: signal.sequence } : {};
      const record = await this.slots.settle(open, { kind: 'stored', stored }, true, details);
      if (record === undefined || record.signalSequence === signal?.sequence) return;
      // Another driver was faster and gave the wait something else: the signal is for the next one.
      if (signal) this.taken.giveBack(signal);
      this.leave(open, record);
    });
  }

  /** Fires in a drive that stays or that others keep busy until then. */
  private startTimer(until: number): void {
    const millis = until - this.state.clock.now();
    if (millis <= 0) return;
    const fire = (): void => {
      this.timers.delete(cancel);
      this.settleReady();
    };
    const kind = until <= this.state.times.giveUpAt ? 'limit' : 'background';
    const cancel = this.state.clock.after(millis, fire, kind);
    this.timers.add(cancel);
  }
}
