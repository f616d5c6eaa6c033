import type { Config } from '../agent/config.ts';

const DAY_SECONDS = 86_400;
const DAY_MILLIS = 86_400_000;

/** How soon somebody looks at a run whose wake was lost. */
export const DUE_NEAR_MILLIS = 60_000;

/** When an unfinished run is FAILED, milliseconds since 1970. */
export const endOfAge = (createdAt: number, config: Config): number =>
  createdAt + config['run.max-age-days'] * DAY_MILLIS;

/** When the items of a run expire, seconds since 1970. Known at its creation, and after every moment at which it can be alive. */
export const runExpiry = (createdAt: number, config: Config): number =>
  Math.floor(createdAt / 1000) + (config['run.max-age-days'] + config['run.retention-days']) * DAY_SECONDS;

/** When the HEAD of a key expires if nothing is written to it: not before a run that was just given the key. */
export const headExpiry = runExpiry;

/**
 * Memory that no run has read or written for the time a run is kept counts as expired. The item stays for one more age of a run, so that
 * it does not vanish while a run that saw it is replayed.
 */
export const memoryExpiry = (now: number, config: Config): number =>
  runExpiry(now, config) + config['run.max-age-days'] * DAY_SECONDS;

/** Seconds that a memory field has left for a run that was created then; 0 or less: expired. */
export const memoryLifeLeft = (ttl: number, createdAt: number, config: Config): number =>
  ttl - config['run.max-age-days'] * DAY_SECONDS - Math.floor(createdAt / 1000);

/** Below this a field that is read is written again. */
export const memoryRefreshBelow = (config: Config): number =>
  ((config['run.max-age-days'] + config['run.retention-days']) * DAY_SECONDS) / 2;
