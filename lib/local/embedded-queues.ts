import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import * as z from 'zod';
import type { EmbeddedService } from './embedded-store.ts';

// What SQS takes in a body: these, and no lone surrogates.
const FORBIDDEN = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Starts queues and buckets: fauxqs, in memory. Both answer at the same endpoint. */
export async function startEmbeddedQueues(region: string): Promise<EmbeddedService> {
  await allowAllOfUnicode();
  // Not its own `startFauxqs`: that one listens on all interfaces.
  const app = buildApp({ logger: false, defaultRegion: region });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: async () => void (await app.close()) };
}

// fauxqs checks bodies code unit by code unit, so it refuses everything above U+FFFF, which SQS takes.
async function allowAllOfUnicode(): Promise<void> {
  const rules: unknown = await import(new URL('sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href);
  const { INVALID_MESSAGE_BODY_CHAR: pattern } = z
    .object({ INVALID_MESSAGE_BODY_CHAR: z.instanceof(RegExp) })
    .parse(rules);
  pattern.test = (text) => FORBIDDEN.test(text);
}
