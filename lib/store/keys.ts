import { AgentError } from '../errors/agent-error.ts';
import type { ItemKey } from '../ports/item-store.ts';

/** Longest user id (request id, key, memory field, durable call id) in UTF-8 bytes, before it is encoded. */
export const MAX_ID_BYTES = 128;

/** SQS sequence numbers have at most 39 digits; padded, their text order is their numeric order. */
const SEQUENCE_DIGITS = 39;

const UNRESERVED = /^[A-Za-z0-9._-]*$/;

/** Percent-encodes every byte outside `[A-Za-z0-9._-]`, so that joined key parts cannot collide. Injective and reversible. */
export function encodeKeyPart(value: string): string {
  if (UNRESERVED.test(value)) return value;
  let encoded = '';
  for (const byte of Buffer.from(value, 'utf8')) {
    const character = String.fromCharCode(byte);
    encoded += UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** The reverse of `encodeKeyPart`. */
export function decodeKeyPart(encoded: string): string {
  return decodeURIComponent(encoded);
}

/** Refuses ids that no key can hold. `what` names the id in the message, for instance `requestId`. */
export function checkId(what: string, id: string): string {
  const bytes = Buffer.byteLength(id, 'utf8');
  if (bytes === 0) throw new AgentError('INVALID_CALL', `${what} is empty. Give it at least one character.`);
  if (bytes > MAX_ID_BYTES) {
    throw new AgentError('INVALID_CALL', `${what} has ${bytes} bytes. Shorten it to ${MAX_ID_BYTES} or fewer.`);
  }
  if (!id.isWellFormed())
    throw new AgentError('INVALID_CALL', `${what} holds half a surrogate pair. Send whole characters.`);
  return id;
}

const runPartition = (runId: string) => `RUN#${encodeKeyPart(runId)}`;
const keyPartition = (agent: string, key: string) => `KEY#${encodeKeyPart(agent)}#${encodeKeyPart(key)}`;

export const RUN_PREFIX = 'RUN#';
export const CALL_PREFIX = 'CALL#';
export const ACTION_PREFIX = 'ACTION#';
export const INBOX_PREFIX = 'INBOX#';
export const MEMORY_PREFIX = 'MEM#';
export const SIGNAL_PREFIX = 'SIGNAL#';
const POLL_PREFIX = 'POLL#';

/** Digits of the longest interval, so that the prefix of one is never the prefix of another. */
const INTERVAL_DIGITS = 10;

export const runKey = (runId: string): ItemKey => ({ pk: runPartition(runId), sk: 'RUN' });
export const inputKey = (runId: string): ItemKey => ({ pk: runPartition(runId), sk: 'INPUT' });
export const memoryViewKey = (runId: string): ItemKey => ({ pk: runPartition(runId), sk: 'MEMVIEW' });
export const callKey = (runId: string, actionId: string, slot: string): ItemKey => ({
  pk: runPartition(runId),
  sk: `${CALL_PREFIX}${actionId}#${slot}`,
});
export const actionKey = (runId: string, actionId: string): ItemKey => ({
  pk: runPartition(runId),
  sk: `${ACTION_PREFIX}${actionId}`,
});
export const signalKey = (runId: string, name: string, sequence: string): ItemKey => ({
  pk: runPartition(runId),
  sk: `${SIGNAL_PREFIX}${encodeKeyPart(name)}#${sequence}`,
});
/** Prefix of everything about the calls of a run with one interval. Its record sorts before its entries. */
export const pollPrefix = (intervalMillis: number): string =>
  `${POLL_PREFIX}${String(intervalMillis).padStart(INTERVAL_DIGITS, '0')}`;
export const pollKey = (runId: string, intervalMillis: number): ItemKey => ({
  pk: runPartition(runId),
  sk: pollPrefix(intervalMillis),
});
export const pollEntryKey = (runId: string, intervalMillis: number, ordinal: number): ItemKey => ({
  pk: runPartition(runId),
  sk: `${pollPrefix(intervalMillis)}#${ordinal}`,
});
export const isPollItem = ({ sk }: ItemKey): boolean => sk.startsWith(POLL_PREFIX);
export const headKey = (agent: string, key: string): ItemKey => ({ pk: keyPartition(agent, key), sk: 'HEAD' });
/** @param life redrives of the run when it was parked */
export const inboxKey = (agent: string, key: string, sequence: string, runId: string, life: number): ItemKey => ({
  pk: keyPartition(agent, key),
  sk: `${INBOX_PREFIX}${sequence}#${encodeKeyPart(runId)}${life === 0 ? '' : `#${life}`}`,
});
export const memoryKey = (agent: string, key: string, field: string): ItemKey => ({
  pk: keyPartition(agent, key),
  sk: `${MEMORY_PREFIX}${encodeKeyPart(field)}`,
});

/** The slot of a durable call inside its action: its id and how often that id was used before in the action. */
export const slotName = (callId: string, occurrence: number): string => `${encodeKeyPart(callId)}#${occurrence}`;

/** Pads the queue's sequence number so that text order is the queue's order. */
export const sequenceKey = (sequenceNumber: string): string => sequenceNumber.padStart(SEQUENCE_DIGITS, '0');

/** The run id in a key of a run's partition. */
export const runIdOfPartition = (pk: string): string => decodeKeyPart(pk.slice(RUN_PREFIX.length));
