import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { decodeKeyPart, headKey, INBOX_PREFIX, runKey } from '../../lib/store/keys.ts';
import { endsIn } from './support/answer.ts';
import { AGENT, readDiff, startTestApp, type TestApp } from './support/test-app.ts';
import { traceOf } from './support/trace-lines.ts';

const diff = readDiff('sample');

let app: TestApp;
/** Runs whose ticket is not answered yet, and what lets it be. */
const held = new Map<string, PromiseWithResolvers<void>>();
/** Runs that get no ticket. */
const refused = new Set<string>();

beforeAll(async () => {
  app = await startTestApp({
    tickets: { beforeAnswer: ({ key }) => held.get(key)?.promise },
    beforeTickets: { beforeRequest: ({ headers }) => !refused.has(headers['idempotency-key'] ?? '') },
  });
});
afterAll(async () => {
  for (const { resolve } of held.values()) resolve();
  await app.close();
});

/** Sends a request whose run waits at its ticket until it is let go. */
async function sendHeld(requestId: string, key: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  held.set(requestId, gate);
  await send(requestId, key);
  await vi.waitFor(() => expect(app.ticketsOf(requestId)).toHaveLength(1), { timeout: 10_000 });
  return gate.resolve;
}
const send = (requestId: string, key: string, input: object = { diff }) =>
  app.send({ requestId, agent: AGENT, key, input }, { group: key });

async function parkedBehind(key: string) {
  const entries = await app.items.query({ pk: headKey(AGENT, key).pk, prefix: INBOX_PREFIX });
  return entries.map(({ sk }) => decodeKeyPart(sk.split('#')[2] ?? ''));
}
const statusOf = async (requestId: string) => (await app.items.get(runKey(requestId)))?.st;

/** The ends of a key's runs, in the order in which they were received. */
const endsOf = (key: string) =>
  endsIn(app.outputs.messages)
    .filter((end) => end.key === key)
    .map(({ requestId, status }) => `${requestId} ${status}`);

it('parks what comes while a run of the key is at work, holds up no other key, and answers everything in order', async () => {
  const letGo = await sendHeld('slow-0', 'slow');
  const later = Array.from({ length: 20 }, (_, index) => `slow-${index + 1}`);
  // The third has nothing to report and only moves the key on.
  for (const id of later) await send(id, 'slow', { diff: id === 'slow-3' ? '' : diff });
  const sentAt = Date.now();
  await vi.waitFor(async () => expect(await parkedBehind('slow')).toEqual(later), { timeout: 10_000, interval: 20 });
  // Meant to be at most 2 s; told, since other tests keep the machine busy.
  console.log(`20 requests were parked after ${Date.now() - sentAt} ms`);
  expect(new Set(await Promise.all(later.map(statusOf)))).toEqual(new Set(['PARKED']));
  expect(await statusOf('slow-0')).toBe('RUNNING');

  await send('other', 'other');
  expect(await app.answer('other', 10_000)).toMatchObject({ status: 'COMPLETED' });
  expect(endsOf('slow')).toEqual([]);

  letGo();
  await app.answer('slow-20');
  expect(endsOf('slow')).toEqual(['slow-0', ...later].map((id) => `${id} COMPLETED`));
  expect((await app.answer('slow-3')).outputs).toMatchObject([{ summary: 'The diff is empty. No findings.' }]);
  expect(await parkedBehind('slow')).toEqual([]);

  // No two of them were at work at a time.
  const lines = traceOf(app.log).filter((line) => line.business_key === 'slow' && line.entity_type !== 'run');
  const spans = ['slow-0', ...later].map((id) => {
    const times = lines.filter(({ run_id }) => run_id === id).map(({ timestamp }) => timestamp);
    return { from: times[0] ?? 'never', to: times.at(-1) ?? 'never' };
  });
  expect(spans.slice(1).filter(({ from }, index) => from < (spans[index]?.to ?? 'never'))).toEqual([]);
});

it('moves a key on after a run that failed, and finishes that run when it is redriven', async () => {
  refused.add('fails');
  await send('fails', 'bumpy');
  await send('follows', 'bumpy');
  await app.answer('follows');
  expect(endsOf('bumpy')).toEqual(['fails FAILED', 'follows COMPLETED']);
  expect((await app.answer('fails')).error).toMatchObject({
    name: 'TicketServiceError',
    message: expect.stringMatching(/cannot be reached/),
  });
  refused.delete('fails');
  await app.send({ redrive: { requestId: 'fails' } });
  await vi.waitFor(() => expect(endsOf('bumpy')).toHaveLength(3), { timeout: 10_000 });
  expect(endsOf('bumpy')).toEqual(['fails FAILED', 'follows COMPLETED', 'fails COMPLETED']);
  expect((await app.answer('fails')).outputs).toHaveLength(1);
  expect(app.ticketsOf('fails')).toHaveLength(1);
});

it('ends cancelled runs, at work or parked, and moves their key on', async () => {
  const letGo = await sendHeld('at-work', 'cancelled');
  await send('parked', 'cancelled');
  await send('stays', 'cancelled');
  await vi.waitFor(async () => expect(await parkedBehind('cancelled')).toEqual(['parked', 'stays']));
  await app.send({ cancel: { requestId: 'parked' } });
  expect(await app.answer('parked', 3_000)).toMatchObject({ status: 'CANCELLED', outputs: [] });
  expect(await statusOf('at-work')).toBe('RUNNING');
  await app.send({ cancel: { requestId: 'at-work' } });
  expect(await app.answer('at-work', 3_000)).toMatchObject({ status: 'CANCELLED', outputs: [] });
  letGo();
  expect(await app.answer('stays')).toMatchObject({ status: 'COMPLETED' });
  expect(endsOf('cancelled')).toEqual(['parked CANCELLED', 'at-work CANCELLED', 'stays COMPLETED']);
  expect(app.ticketsOf('parked')).toEqual([]);
});
