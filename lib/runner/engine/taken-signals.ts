import type { CallRecord, Journal, SignalRecord } from '../../store/journal.ts';

const nameOf = ({ name, sequence }: Pick<SignalRecord, 'name' | 'sequence'>): string => `${sequence} ${name}`;

/** Which of a run's signals its waits have taken: each goes to one wait. */
export class TakenSignals {
  private readonly taken = new Set<string>();

  constructor(journal: Journal) {
    for (const record of journal.calls.values()) this.addTakenBy(record);
  }

  add(signal: SignalRecord): void {
    this.taken.add(nameOf(signal));
  }

  addTakenBy({ signalName: name, signalSequence: sequence }: CallRecord): void {
    if (name !== undefined && sequence !== undefined) this.taken.add(nameOf({ name, sequence }));
  }

  giveBack(signal: SignalRecord): void {
    this.taken.delete(nameOf(signal));
  }

  /** The signal for a wait: the first of its name that nobody has taken and that came in time, whenever somebody looks. */
  next(
    signals: readonly SignalRecord[],
    wait: { readonly signalName?: string | undefined; readonly until?: number | undefined },
  ): SignalRecord | undefined {
    const { signalName, until = Number.POSITIVE_INFINITY } = wait;
    return signals.find(
      (signal) => signal.name === signalName && signal.arrivedAt <= until && !this.taken.has(nameOf(signal)),
    );
  }
}
