import type { EmittedEvent } from '../runner/engine/action-body.ts';
import type { CallStatus, Journal } from '../store/journal.ts';
import type { RunRecord, RunStatus } from '../store/run-record.ts';
import type { PendingWait } from './pending-waits.ts';
import type { ErrorLine } from './stored-error.ts';

/** What the store holds of a run. */
export interface TraceRecords {
  readonly run: RunRecord;
  readonly journal: Journal;
  /** Stored form of the input; `undefined`: it is not at hand. */
  readonly inputText: string | undefined;
  /** Events of the finished actions by action id; one without an entry could not be read. */
  readonly events: ReadonlyMap<string, readonly EmittedEvent[]>;
  /** Stored errors of the FAILED calls by `journalSlot`. */
  readonly thrown: ReadonlyMap<string, string>;
}

/** What happened in a run, as a tree. */
export interface TraceTree {
  readonly run: TraceRun;
  /** What the input started. */
  readonly actions: readonly TraceAction[];
  /** Unfinished actions whose place is not known before they finish, and what else has no parent. */
  readonly unplaced: readonly TraceAction[];
}

export interface TraceRun {
  readonly runId: string;
  readonly agent: string;
  readonly key?: string;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly redrives: number;
  readonly hops: number;
  readonly createdAt: number;
  /** When the last record was written. */
  readonly lastRecordAt?: number;
  /** What a suspended run waits for. */
  readonly waitsFor?: readonly PendingWait[];
  /** When somebody looks at an unfinished run again. */
  readonly dueAt?: number;
  /** Of a FAILED or BLOCKED run, else of its last failed attempt. */
  readonly error?: ErrorLine;
  /** The beginning of the input as JSON. */
  readonly input?: string;
}

export interface TraceEvent {
  readonly eventId: string;
  readonly type: string;
  readonly isOutput: boolean;
  /** The beginning of the output, or of the attributes, as JSON. */
  readonly preview: string;
}

export interface TraceCall {
  readonly id: string;
  /** Which call of the action with this id, from 1. */
  readonly occurrence: number;
  readonly kind: string;
  readonly status: CallStatus;
  readonly startedAt: number;
  /** Absent while it is PENDING. */
  readonly durationMillis?: number;
  /** Of a wait: when it ends by itself, milliseconds since 1970. */
  readonly until?: number;
  readonly error?: ErrorLine;
}

export interface TraceAction {
  readonly actionId: string;
  readonly name: string;
  readonly status: 'FINISHED' | 'UNFINISHED';
  /** The event that started it. */
  readonly trigger?: { readonly eventId: string; readonly type: string };
  readonly startedAt?: number;
  readonly durationMillis?: number;
  /** Absent: not readable, or not finished. */
  readonly events?: readonly TraceEvent[];
  readonly calls: readonly TraceCall[];
  readonly actions: readonly TraceAction[];
}
