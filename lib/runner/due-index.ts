import { createHash } from 'node:crypto';

/** Partitions of the index by due time: one takes 1,000 writes a second. */
export const DUE_SHARDS = 8;

const shardNumber = (runId: string): number => createHash('sha256').update(runId).digest().readUInt32BE(0) % DUE_SHARDS;

/** Where an unfinished run stands in the index. */
export const dueShard = (runId: string): string => `due#${shardNumber(runId)}`;
/** Where a FAILED run stands in the index until it expires. */
export const failedShard = (runId: string): string => `failed#${shardNumber(runId)}`;

export const dueShards = (): readonly string[] => Array.from({ length: DUE_SHARDS }, (_, number) => `due#${number}`);
export const failedShards = (): readonly string[] =>
  Array.from({ length: DUE_SHARDS }, (_, number) => `failed#${number}`);
