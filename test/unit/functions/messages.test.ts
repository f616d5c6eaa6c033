import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { parsePollRound } from '../../../functions/messages/parse-poll-round.ts';
import { parseWake } from '../../../functions/messages/parse-wake.ts';
import { toRequestMessage } from '../../../functions/messages/request-record.ts';

const record = (attributes: Partial<SQSRecord['attributes']>): SQSRecord => ({
  messageId: 'm1',
  receiptHandle: 'h',
  body: 'text',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 's',
    ApproximateFirstReceiveTimestamp: '0',
    ...attributes,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn',
  awsRegion: 'eu-west-1',
});

describe('a record of the request queue', () => {
  it('carries id, group, sequence number and body', () => {
    expect(toRequestMessage(record({ MessageGroupId: 'g', SequenceNumber: '18' }))).toEqual({
      messageId: 'm1',
      groupId: 'g',
      sequenceNumber: '18',
      body: 'text',
    });
  });

  it('of a standard queue is refused, because requests need their order', () => {
    expect(() => toRequestMessage(record({ MessageGroupId: 'g' }))).toThrow(
      /m1 has no group or no sequence number.*FIFO/,
    );
  });
});

describe('the body of a wake', () => {
  it('names a run and a reason', () => {
    expect(parseWake('{"runId":"r1","reason":"retry"}')).toEqual({ runId: 'r1', reason: 'retry' });
  });

  it.each(['', 'no JSON', 'null', '[]', '{}', '{"runId":""}', '{"runId":1,"reason":"due"}'])('is not %j', (body) => {
    expect(parseWake(body)).toBeUndefined();
  });
});

describe('a round of the status poller', () => {
  const round = {
    runId: 'r1',
    ttl: 1_800_000_000,
    intervalMillis: 500,
    generation: 1,
    round: 0,
    notBefore: 0,
    waitSeconds: 0,
    done: false,
  };

  it('is what the one before handed on, and nothing that a newer version added', () => {
    expect(parsePollRound({ ...round, ofANewerVersion: 1 })).toEqual(round);
  });

  it.each([
    null,
    {},
    { Records: [] },
    { ...round, runId: '' },
    { ...round, ttl: '1800000000' },
    { ...round, intervalMillis: 0 },
    { ...round, waitSeconds: 1.5 },
    { ...round, done: undefined },
  ])('is not %j', (event) => {
    expect(() => parsePollRound(event)).toThrow();
  });
});
