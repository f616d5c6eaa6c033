import { randomUUID } from 'node:crypto';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { AGENT, outputOf, readDiff, startTestApp, type TestApp } from './support/test-app.ts';

// The most that SQS takes in one message.
const MAX_BODY_BYTES = 1_048_576;
const input = { diff: readDiff('sample') };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** The refusal of a message, once it is in the dead-letter queue. */
const refusalOf = (messageId: string) =>
  vi.waitFor(
    () => {
      const [refusal, ...more] = app.refusals.messages.filter(({ attributes }) => attributes.messageId === messageId);
      if (refusal === undefined) throw new Error(`Message ${messageId} was not refused.`);
      expect(more).toEqual([]);
      return refusal;
    },
    { timeout: 10_000, interval: 20 },
  );

const json = (request: object): string => JSON.stringify({ agent: AGENT, input, ...request });

it.each<[string, string, string, RegExp]>([
  ['no JSON', '{bad', 'NOT_JSON', /no JSON/],
  ['a plain text', 'hello', 'NOT_JSON', /no JSON/],
  ['JSON that is no object', '[]', 'INVALID_REQUEST', /no request/],
  ['null', 'null', 'INVALID_REQUEST', /no request/],
  ['an unknown field', json({ priority: 1 }), 'INVALID_REQUEST', /priority/],
  ['an unknown agent', json({ agent: 'no_such_agent' }), 'UNKNOWN_AGENT', /"no_such_agent".*diff_report/],
  ['an agent that is a member of every object', json({ agent: 'constructor' }), 'UNKNOWN_AGENT', /"constructor"/],
  ['an input against the schema', json({ input: { diff: 7 } }), 'INVALID_INPUT', /diff_report[\s\S]*string/],
  ['no input', `{"agent":"${AGENT}"}`, 'INVALID_REQUEST', /has no "input"/],
  ['an empty key', json({ key: '' }), 'INVALID_REQUEST', /empty[\s\S]*key/],
  ['an empty request id', json({ requestId: '' }), 'INVALID_REQUEST', /empty[\s\S]*requestId/],
  ['a key of 10,000 characters', json({ key: 'k'.repeat(10_000) }), 'INVALID_REQUEST', /10000 bytes/],
  ['a key of 65 two-byte characters', json({ key: 'é'.repeat(65) }), 'INVALID_REQUEST', /130 bytes/],
  ['half a surrogate pair', json({ key: '\ud83d' }), 'INVALID_REQUEST', /surrogate/],
  [
    'a member __proto__',
    `{"agent":"${AGENT}","input":{"diff":"","__proto__":{"x":1}}}`,
    'FORBIDDEN_MEMBER',
    /__proto__/,
  ],
  [
    'a member __proto__ in escapes',
    `{"agent":"${AGENT}","input":{"diff":"","\\u005f_proto__":1}}`,
    'FORBIDDEN_MEMBER',
    /__proto__/,
  ],
  ['an escaped U+FFFE', `{"agent":"${AGENT}","input":{"diff":"\\ufffe"}}`, 'FORBIDDEN_CHARACTER', /U\+FFFE/],
  ['a cancel of nobody', '{"cancel":{}}', 'INVALID_REQUEST', /no request/],
  ['two things at once', json({ cancel: { requestId: 'x' } }), 'INVALID_REQUEST', /no request/],
  [
    'an SNS envelope',
    '{"Type":"Notification","TopicArn":"arn:x","Message":"{}"}',
    'SNS_ENVELOPE',
    /raw message delivery/,
  ],
])('refuses %s with its reason', async (_what, body, reason, detail) => {
  const messageId = await app.send(body);
  const { attributes, text } = await refusalOf(messageId);
  expect(attributes.reason).toBe(reason);
  expect(attributes.detail).toMatch(detail);
  expect(text).toBe(body);
});

it('cannot even be sent a raw U+FFFE', async () => {
  await expect(app.send(`{"agent":"${AGENT}","input":{"diff":"\ufffe"}}`)).rejects.toThrow(/[Ii]nvalid/);
});

it('leaves the neighbours of a refused message alone', async () => {
  const bodies = [
    '{bad',
    json({ requestId: 'good-1' }),
    json({ agent: 'x' }),
    json({ key: '' }),
    json({ requestId: 'good-2' }),
  ];
  // Once in groups of their own, which may be one batch, and once in one group, whose order is kept.
  for (const group of [undefined, 'one']) {
    const entries = bodies.map((body, index) => ({
      Id: String(index),
      MessageBody: body.replace('good', `good-${group}`),
      MessageGroupId: group ?? randomUUID(),
      MessageDeduplicationId: randomUUID(),
    }));
    const { Successful = [] } = await app.sqs.send(
      new SendMessageBatchCommand({ QueueUrl: outputOf(app.stack, 'RequestQueueUrl'), Entries: entries }),
    );
    expect(Successful).toHaveLength(5);
    for (const id of [`good-${group}-1`, `good-${group}-2`]) {
      expect(await app.answer(id)).toMatchObject({ status: 'COMPLETED' });
      expect(app.ticketsOf(id)).toHaveLength(1);
    }
    const refusals = await Promise.all([0, 2, 3].map((index) => refusalOf(Successful[index]?.MessageId ?? '')));
    expect(refusals.map(({ attributes }) => attributes.reason)).toEqual([
      'NOT_JSON',
      'UNKNOWN_AGENT',
      'INVALID_REQUEST',
    ]);
  }
});

/** A request of exactly so many bytes. */
function padded(bytes: number, request: object): string {
  const empty = JSON.stringify({ ...request, input: { diff: '' } });
  return JSON.stringify({ ...request, input: { diff: 'x'.repeat(bytes - empty.length) } });
}

it('refuses the largest message that SQS takes, and keeps its body outside', async () => {
  const body = padded(MAX_BODY_BYTES, { agent: 'no_such_agent' });
  const { attributes, text } = await refusalOf(await app.send(body));
  expect(attributes.reason).toBe('UNKNOWN_AGENT');
  expect(text).toBe(attributes.bodyReference);
  const reference = z.object({ bucket: z.string(), key: z.string(), bytes: z.number() }).parse(JSON.parse(text));
  expect(reference.bytes).toBe(MAX_BODY_BYTES);
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const s3 = new S3Client({
    region: app.stack.region,
    endpoint: app.stack.endpoints.s3,
    credentials,
    forcePathStyle: true,
  });
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: reference.bucket, Key: reference.key }));
  expect(await Body?.transformToString()).toBe(body);
  s3.destroy();
});

it('takes a good request of that size', async () => {
  await app.send(padded(MAX_BODY_BYTES, { agent: AGENT, requestId: 'largest' }));
  expect(await app.answer('largest')).toMatchObject({
    status: 'COMPLETED',
    outputs: [{ summary: expect.stringMatching(/not a unified diff/) }],
  });
});

it('has lost nothing and left no message behind', async () => {
  // What our code never answered would be in the dead-letter queue without a reason.
  expect(app.refusals.messages.filter(({ attributes }) => attributes.reason === undefined)).toEqual([]);
  expect(app.stack.invocations.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
});
