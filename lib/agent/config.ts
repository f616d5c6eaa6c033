import * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { nearestName } from './nearest-name.ts';

const positive = z.int().positive();

/**
 * Every configuration key: its schema and its default. The one place that names them.
 * Precedence: deployment (`AgentStack`'s `config`) before this table, an agent's own `config` before the deployment's.
 */
const KEYS = {
  /** Attempts in a row without a new fact before a run is FAILED. */
  'run.max-attempts': positive.max(100).default(5),
  /** Age in days at which an unfinished run is FAILED. */
  'run.max-age-days': positive.max(365).default(30),
  /** Days that a finished run is kept. */
  'run.retention-days': positive.max(3_650).default(14),
  /** `continue` hops of one run. */
  'run.max-hops': positive.default(1_000),
  /** How long a driver owns a run without renewing, in milliseconds. */
  'run.lease-millis': positive.min(1_000).max(900_000).default(60_000),
  /** Longest wait in milliseconds that a drive stays for; before a longer one it ends and costs nothing meanwhile. */
  'run.stay-millis': z.int().min(0).max(60_000).default(2_000),
  /** First wait after a failed attempt in milliseconds; doubled for each further one, at most 900,000. */
  'run.retry-initial-millis': positive.max(900_000).default(1_000),
  /** Rounds of one execution of the status poller. A Standard execution holds 25,000 history events, a round has 9 to 18. */
  'subagent.max-poll-rounds': positive.max(1_000).default(1_000),
  /** How often a run that is polled looks whether its pollers live, in milliseconds. */
  'subagent.poll-check-millis': positive.min(1_000).max(900_000).default(900_000),
  /** Largest stored value in UTF-8 bytes. */
  'payload.max-bytes': positive.default(33_554_432),
} as const;

export type ConfigKey = keyof typeof KEYS;
export type Config = { readonly [Key in ConfigKey]: z.output<(typeof KEYS)[Key]> };
export type ConfigInput = { readonly [Key in ConfigKey]?: z.input<(typeof KEYS)[Key]> };

const schema = z.strictObject(KEYS);

/** A compiled parser does not pay for the few parses of a cold start. */
const ONCE = { jitless: true } as const;

/**
 * Merges configurations, the later ones winning, and checks every value.
 * @throws AgentError `INVALID_CONFIG` naming an unknown key (with the nearest known one) or a bad value
 */
export function resolveConfig(where: string, ...inputs: readonly (ConfigInput | undefined)[]): Config {
  const merged: Record<string, unknown> = {};
  for (const input of inputs) {
    for (const [key, value] of Object.entries(input ?? {})) {
      if (!Object.hasOwn(KEYS, key)) {
        throw new AgentError(
          'INVALID_CONFIG',
          `${where} sets the unknown key "${key}". Did you mean "${nearestName(key, Object.keys(KEYS))}"?`,
        );
      }
      if (value !== undefined) merged[key] = value;
    }
  }
  const parsed = schema.safeParse(merged, ONCE);
  if (!parsed.success)
    throw new AgentError(
      'INVALID_CONFIG',
      `${where} is not valid. Mend these values:\n${z.prettifyError(parsed.error)}`,
    );
  return parsed.data;
}
