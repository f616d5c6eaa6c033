import * as z from 'zod';
import type { ConfigInput } from '../../lib/agent/config.ts';

/** A name or address that CloudFormation filled in. */
export const filled = z.string().min(1);

/** The deployment's configuration. Its keys and values are checked where the plans are compiled. */
export const deploymentConfig = z.string().transform((text, context): ConfigInput => {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text)) as ConfigInput;
  } catch {
    context.addIssue({ code: 'custom', message: 'not a JSON object' });
    return z.NEVER;
  }
});

/** Where the run store and the wake queue are: what every handler needs. */
export const storeAndWakes = {
  STORE_TABLE_NAME: filled,
  STORE_INDEX_NAME: filled,
  WAKE_QUEUE_URL: filled,
} as const;
