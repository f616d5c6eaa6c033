// What the first writes of a journal say, in the words of their version. Nothing of lib reads here, lest a change on both sides pass.
import type { GoldenWrite } from './golden-journal.ts';
import type { GoldenRequest } from './golden-program.ts';

type Writes = readonly GoldenWrite[];

/** A job that a remote has taken. */
export interface TakenJob {
  readonly subagent: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const FINAL = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
const isOfRun = ({ key: [pk] }: GoldenWrite, runId: string): boolean => pk === `RUN#${runId}`;
const runWrites = (writes: Writes, runId: string): Writes =>
  writes.filter((write) => isOfRun(write, runId) && write.key[1] === 'RUN');
const statusOf = (write: GoldenWrite | undefined): string => String(write?.item?.st);

/** How often a run came to an end: again after each redrive. */
export function endsOf(writes: Writes, runId: string): number {
  const statuses = runWrites(writes, runId).map(statusOf);
  return statuses.filter((status, place) => FINAL.has(status) && !FINAL.has(statuses[place - 1] ?? '')).length;
}

/** A redrive makes the record of a failed call one of the past: the call is made again. */
const isOutcome = ({ item, at }: GoldenWrite): boolean =>
  item !== null && item.st !== 'PENDING' && Number(item.ttl) * 1_000 > at;

/** How often a durable call of each id had its outcome recorded. */
export function outcomesById(writes: Writes): ReadonlyMap<string, number> {
  const standing = new Set<string>();
  const outcomes = new Map<string, number>();
  for (const write of writes.filter(({ key: [, sk] }) => sk.startsWith('CALL#'))) {
    const place = write.key.join(' ');
    if (!isOutcome(write)) standing.delete(place);
    else if (!standing.has(place)) {
      standing.add(place);
      const id = decodeURIComponent(String(write.item?.sl).split('#')[0] ?? '');
      outcomes.set(id, (outcomes.get(id) ?? 0) + 1);
    }
  }
  return outcomes;
}

/** Every job that a remote had taken, also when the record of that is gone again. */
export function takenJobs(writes: Writes): readonly TakenJob[] {
  const jobs = new Map<string, TakenJob>();
  for (const { item, at } of writes) {
    if (item === null || item.sb === undefined) continue;
    const [sessionId, callId] = [String(item.si), String(item.ci)];
    const key = `${sessionId}#${callId}`;
    if (!jobs.has(key)) jobs.set(key, { subagent: String(item.sb), sessionId, callId, key, at });
  }
  return [...jobs.values()];
}

/**
 * What became of a message of the request queue. `unanswered`: the process may have died before it answered, so that the message comes
 * back; `new`: nobody took it yet.
 */
export function receiptOf({ body }: GoldenRequest, writes: Writes): 'new' | 'unanswered' | 'answered' {
  const [kind, content] = 'agent' in body ? ['run', body] : (Object.entries(body)[0] ?? []);
  const { requestId, name } = content as { readonly requestId: string; readonly name?: string };
  const runs = runWrites(writes, requestId);
  switch (kind) {
    case 'run':
      return receiptOfRun(requestId, writes);
    case 'signal': {
      const place = writes.findIndex(
        (write) => isOfRun(write, requestId) && write.key[1].startsWith(`SIGNAL#${name}#`),
      );
      if (place < 0) return 'new';
      // Its run is told next.
      return runWrites(writes.slice(place), requestId).length === 0 ? 'unanswered' : 'answered';
    }
    case 'cancel':
      return runs.some(({ item }) => item?.cn !== undefined) ? 'answered' : 'new';
    case 'redrive':
      return runs.some(({ item }) => Number(item?.rd) > 0) ? 'answered' : 'new';
    default:
      throw new Error(`The golden programs send no ${kind}. Say here when such a message was answered.`);
  }
}

/** A run without a key is accepted with its record. One with a key takes it next, or a place behind it; nothing else is written between. */
function receiptOfRun(runId: string, writes: Writes): 'new' | 'unanswered' | 'answered' {
  const place = writes.findIndex((write) => isOfRun(write, runId));
  if (place < 0) return 'new';
  const runs = runWrites(writes, runId);
  const isPastAccepting = writes
    .slice(place)
    .some((write) => !isOfRun(write, runId) && !write.key[0].startsWith('KEY#'));
  return runs.length === 0 || (statusOf(runs.at(-1)) === 'PARKED' && !isPastAccepting) ? 'unanswered' : 'answered';
}
