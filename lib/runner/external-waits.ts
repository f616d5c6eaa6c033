import type { Journal, SignalRecord } from '../store/journal.ts';
import type { DriveState } from './drive-state.ts';
import type { OpenSlot, Slots } from './slots.ts';

/** Something that happens outside the drive: a time that comes, a signal that arrives. */
export interface ExternalWait {
  readonly open: OpenSlot;
  /** When it ends by itself, milliseconds since 1970. @default never */
  readonly until: number | undefined;
}

/** Stored form of `undefined`: the outcome of a sleep, and of a wait for a signal that did not come in time. */
const NOTHING = '{"$":"undefined"}';

/** What the actions of a drive wait for outside it, and how such waits end. */
export class ExternalWaits {
  private readonly state: DriveState;
  private readonly slots: Slots;
  private readonly pending = new Map<number, ExternalWait>();
  private readonly consumed: Set<string>;
  private readonly timers = new Set<() => void>();
  private signals: readonly SignalRecord[];

  constructor(state: DriveState, slots: Slots) {
    this.state = state;
    this.slots = slots;
    this.signals = state.journal.signals;
    this.consumed = new Set(consumedSignals(state.journal));
  }

  add(wait: ExternalWait): void {
    this.pending.set(wait.open.ordinal, wait);
    if (wait.until !== undefined) this.startTimer(wait.until);
    this.settleReady();
  }

  /** Signals that have arrived by now. */
  look(signals: readonly SignalRecord[]): void {
    this.signals = signals;
    this.settleReady();
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

  /** Ends the waits whose signal is there or whose time has come. Signals of a name go to the waits in their order. */
  private settleReady(): void {
    if (this.state.isOver) return;
    for (const wait of this.waiting()) {
      const { open, until } = wait;
      const signal = this.nextSignal(open.asked.signalName);
      if (signal) this.settle(open, signal);
      else if (until !== undefined && until <= this.state.clock.now()) this.settle(open, undefined);
    }
  }

  private nextSignal(name: string | undefined): SignalRecord | undefined {
    return this.signals.find(
      (signal) => signal.name === name && !this.consumed.has(signalId(signal.name, signal.sequence)),
    );
  }

  private settle(open: OpenSlot, signal: SignalRecord | undefined): void {
    this.pending.delete(open.ordinal);
    if (signal) this.consumed.add(signalId(signal.name, signal.sequence));
    this.state.runOutstanding(async () => {
      const text = signal ? await this.state.recorder.load(signal) : NOTHING;
      await this.slots.settle(
        open,
        { kind: 'succeeded', text },
        true,
        signal ? { signalSequence: signal.sequence } : {},
      );
    });
  }

  /** A short wait is worth staying for; a longer one ends the drive before its time comes, unless others keep it busy. */
  private startTimer(until: number): void {
    const millis = Math.max(until - this.state.clock.now(), 0);
    const kind = millis <= this.state.stayMillis ? 'wait' : 'background';
    const cancel = this.state.clock.after(
      millis,
      () => {
        this.timers.delete(cancel);
        this.settleReady();
      },
      kind,
    );
    this.timers.add(cancel);
  }
}

export const signalId = (name: string, sequence: string): string => `${sequence} ${name}`;

/** Signals that a recorded wait has taken. */
export function consumedSignals(journal: Journal): readonly string[] {
  return [...journal.calls.values()].flatMap(({ signalName, signalSequence }) =>
    signalName === undefined || signalSequence === undefined ? [] : [signalId(signalName, signalSequence)],
  );
}
