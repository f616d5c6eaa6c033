import { JournalStore } from '../store/journal-store.ts';
import type { PollEntry } from '../store/poll-records.ts';
import { PollStore } from '../store/poll-store.ts';
import type { PolledRun } from './poll-ports.ts';
import { tellRun } from './tell-run.ts';

/** A call cannot be followed any more: its action fails with it. In this order, so that whoever comes next finishes it. */
export async function faultCall({ ports, runId, ttl }: PolledRun, entry: PollEntry, reason: string): Promise<void> {
  await new JournalStore(ports.items, runId, ttl).markFault(entry, reason);
  await tellRun(ports, runId, 'answer', entry.ordinal);
  await new PollStore(ports.items, runId, ttl).updateEntry(entry, { faulted: 1 });
}
