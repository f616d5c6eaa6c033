import type { AttributeValue, Item } from '../ports/item-store.ts';
import { runKey } from './keys.ts';

/** Where a run stands. The last three are final; a FAILED run may be redriven. */
export type RunStatus =
  | 'PARKED'
  | 'RUNNING'
  | 'SUSPENDED'
  | 'BLOCKED'
  | 'COMPLETING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED';
export type RunOutcome = 'COMPLETED' | 'FAILED' | 'CANCELLED';

/** Control data of a run. Inputs, values and outputs are in items of their own. */
export interface RunRecord {
  readonly runId: string;
  readonly agent: string;
  /** Unit of order and isolation; absent: the run has no order. */
  readonly key?: string;
  readonly status: RunStatus;
  /** Fixed by COMPLETING. */
  readonly outcome?: RunOutcome;
  /** Stored error (`encodeThrown`) of a FAILED or BLOCKED run, or of the last failed attempt. */
  readonly error?: string;
  /** Raised by each claim and each redrive; every write of a driver names it. */
  readonly epoch: number;
  /** Writer token of the driver. */
  readonly owner?: string;
  /** End of the lease, milliseconds since 1970. */
  readonly leaseUntil?: number;
  /** Raised by everybody who records something for the run. */
  readonly wakeCount: number;
  /** The wake count when it was suspended: a higher one says that something has happened since. */
  readonly wakeCountAtSuspension?: number;
  /** Ordinals of what a suspended run waits for. */
  readonly waitingFor?: readonly string[];
  /** 1: the run is to end CANCELLED. */
  readonly cancelMark?: number;
  /** 1: it ended without ever having been driven under its key. */
  readonly neverDriven?: number;
  /** Turn of the key under which the run holds it. */
  readonly turn?: number;
  /** Attempts in a row that brought nothing new, the present one included. */
  readonly attempts: number;
  /** Journal items at the last claim. */
  readonly factsAtClaim: number;
  /** No claim before this time (wait after a failed attempt). */
  readonly notBefore?: number;
  readonly redrives: number;
  /** Epoch at the last redrive of a FAILED run: what was recorded before it belongs to an earlier life, which has ended. */
  readonly lifeEpoch?: number;
  /** Next moment somebody must look; absent for finished runs but FAILED ones, which stay listed until they expire. */
  readonly dueAt?: number;
  /** Partition of the index by due time. */
  readonly shard?: string;
  /** Digest of agent, key and input: the same request id with another body is refused. */
  readonly digest: string;
  /** Stored value of the input, when it fits. */
  readonly input?: string;
  /** Sequence number of the request in its queue, padded. */
  readonly sequence: string;
  readonly planDigest?: string;
  readonly traceparent?: string;
  /** `continue` hops so far. */
  readonly hops: number;
  /** Settle order of what its own drivers did not record: ordinals as ranges, `0-12.15.13`. */
  readonly settleOrder?: string;
  readonly createdAt: number;
  /** Seconds since 1970; the table may delete the item after it. */
  readonly ttl: number;
}

/** Stored names: short, because each kilobyte of an item is a write unit. They are part of the journal's format. */
const ATTRIBUTES = {
  runId: 'id',
  agent: 'ag',
  key: 'ky',
  status: 'st',
  outcome: 'oc',
  error: 'er',
  epoch: 'ep',
  owner: 'ow',
  leaseUntil: 'lu',
  wakeCount: 'wk',
  wakeCountAtSuspension: 'ws',
  waitingFor: 'wy',
  cancelMark: 'cn',
  neverDriven: 'np',
  turn: 'tn',
  attempts: 'at',
  factsAtClaim: 'fc',
  notBefore: 'nb',
  redrives: 'rd',
  lifeEpoch: 'le',
  dueAt: 'du',
  shard: 'gs',
  digest: 'dg',
  input: 'in',
  sequence: 'sq',
  planDigest: 'pd',
  traceparent: 'tp',
  hops: 'hp',
  settleOrder: 'so',
  createdAt: 'cr',
  ttl: 'ttl',
} as const satisfies Record<keyof RunRecord, string>;

export type RunAttribute = keyof RunRecord;

/** The stored name of an attribute. */
export const runAttribute = (name: RunAttribute): string => ATTRIBUTES[name];

export const isFinal = (status: RunStatus): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

/** Renames the given members to their stored names, leaving out undefined ones. */
export function toRunAttributes(members: Partial<RunRecord>): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) attributes[ATTRIBUTES[name as RunAttribute]] = value;
  }
  return attributes;
}

export function toRunItem(run: RunRecord): Item {
  return { ...runKey(run.runId), ...toRunAttributes(run) };
}

export function fromRunItem(item: Item): RunRecord {
  const members: Record<string, AttributeValue> = {};
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) {
    const value = item[attribute];
    if (value !== undefined) members[name] = value;
  }
  return members as unknown as RunRecord;
}
