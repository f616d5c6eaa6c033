import type { ActionRecord, CallRecord, Journal, Position } from '../../store/journal.ts';

/** Outcomes and finishes of a journal by their ordinals. */
type Entry = (CallRecord | ActionRecord) & Partial<Position>;

/**
 * The order in which the run first saw its settled facts: what `settleOrder` of the run record says, then the rest,
 * those of the last driver first (it may have shown them), then what landed late, then what has no position.
 * A claim records what it found, so of the rest the last driver's are those of the highest epoch, unless it recorded nothing.
 * Calls of finished actions are left out: nobody will ask for them again.
 */
export function settledOrdinals(recorded: string | undefined, journal: Journal): readonly number[] {
  const entries = new Map(settledEntries(journal).map((entry) => [entry.ordinal, entry]));
  const known = parseOrdinals(recorded).filter((ordinal) => entries.has(ordinal));
  const seen = new Set(known);
  const rest = [...entries.values()].filter((entry) => !seen.has(entry.ordinal));
  const lastEpoch = rest.reduce((last, entry) => Math.max(last, entry.epoch ?? 0), 0);
  rest.sort(
    (a, b) =>
      rank(a, lastEpoch) - rank(b, lastEpoch) ||
      (a.epoch ?? 0) - (b.epoch ?? 0) ||
      (a.position ?? 0) - (b.position ?? 0) ||
      a.ordinal - b.ordinal,
  );
  return [...known, ...rest.map(({ ordinal }) => ordinal)];
}

function settledEntries(journal: Journal): readonly Entry[] {
  const calls = Array.from(journal.calls.values()).filter(
    (call) => call.status !== 'PENDING' && !journal.actions.has(call.actionId),
  );
  return [...calls, ...journal.actions.values()];
}

function rank(entry: Entry, lastEpoch: number): number {
  if (entry.epoch === lastEpoch) return 0;
  return entry.epoch === undefined ? 2 : 1;
}

/** Text form: ascending runs as ranges, `0-12.15.13`. */
export function formatOrdinals(ordinals: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < ordinals.length; ) {
    let end = start;
    while (end + 1 < ordinals.length && ordinals[end + 1] === (ordinals[end] ?? 0) + 1) end += 1;
    parts.push(end === start ? `${ordinals[start]}` : `${ordinals[start]}-${ordinals[end]}`);
    start = end + 1;
  }
  return parts.join('.');
}

export function parseOrdinals(text: string | undefined): readonly number[] {
  if (text === undefined || text === '') return [];
  return text.split('.').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
