import type { ItemStore } from '../ports/item-store.ts';
import type { CallRecord, Journal } from '../store/journal.ts';
import { JournalStore } from '../store/journal-store.ts';
import { decodeKeyPart } from '../store/keys.ts';
import type { RunRecord } from '../store/run-record.ts';
import { formatDuration, oneLine } from './plain-text.ts';

/** Something outside that an unfinished action waits for. */
export interface PendingWait {
  /** `call`: one that failed and is made again at that time. */
  readonly kind: CallRecord['kind'];
  /** Name of the signal or of the sub-agent, id of the sleep or of the call. */
  readonly name: string;
  /** When it ends by itself, milliseconds since 1970. @default never */
  readonly until?: number;
}

/** What a suspended run waits for; nothing for any other. */
export async function readWaits(items: ItemStore, run: RunRecord): Promise<readonly PendingWait[]> {
  if (run.status !== 'SUSPENDED') return [];
  return pendingWaits((await new JournalStore(items, run.runId, run.ttl).read()).journal);
}

/** The waits of unfinished actions, in the order in which they began. */
export function pendingWaits({ calls, actions }: Journal): readonly PendingWait[] {
  return [...calls.values()]
    .filter(({ status, actionId }) => status === 'PENDING' && !actions.has(actionId))
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .flatMap(toWait);
}

function toWait({ kind, slot, until }: CallRecord): readonly PendingWait[] {
  if (kind === 'call' && until === undefined) return [];
  const [id = ''] = slot.split('#');
  return [{ kind, name: decodeKeyPart(id), ...(until === undefined ? {} : { until }) }];
}

/** For people: `sleep until 2026-01-01T00:05:00.000Z (in 5 min 0 s), signal approved`. */
export const describeWaits = (waits: readonly PendingWait[], now: number | undefined): string =>
  waits
    .map(
      ({ kind, name, until }) => `${kindAndName(kind, name)}${until === undefined ? '' : ` ${untilText(until, now)}`}`,
    )
    .join(', ');

/** A sleep that was given no id has its kind as such. */
export const kindAndName = (kind: string, name: string): string => (kind === name ? kind : `${kind} ${oneLine(name)}`);

/** @param now `undefined`: how long it is until then is not said */
export function untilText(until: number, now: number | undefined): string {
  const text = `until ${new Date(until).toISOString()}`;
  if (now === undefined) return text;
  return `${text} (${until > now ? `in ${formatDuration(until - now)}` : 'now'})`;
}
