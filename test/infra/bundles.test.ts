import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CopiedApp } from './copied-app.ts';
import { acceptMessage, ScriptedAws } from './scripted-aws.ts';

let app: CopiedApp;
let aws: ScriptedAws;
beforeAll(async () => {
  [app, aws] = await Promise.all([CopiedApp.create(), ScriptedAws.start()]);
});
afterAll(async () => {
  aws.close();
  await app.remove();
});

const invoke = (functionId: string, event: unknown) =>
  app.invoke(functionId, event, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: aws.url,
    STORE_TABLE_NAME: 'runs',
    STORE_INDEX_NAME: 'due',
    // Hosts that do not exist: the calls must go to the endpoint.
    WAKE_QUEUE_URL: 'https://queues.invalid/wakes',
    OUTPUT_QUEUE_URL: 'https://queues.invalid/outputs',
    DEAD_LETTER_QUEUE_URL: 'https://queues.invalid/dead-letters',
    PAYLOAD_BUCKET_NAME: 'payloads',
    STATUS_POLLER_ARN: 'arn:aws:states:eu-west-1:000000000000:stateMachine:poller',
    DEPLOYMENT_CONFIG: '{}',
  });

const record = (messageId: string, body: string, group = messageId) => ({
  messageId,
  body,
  attributes: { MessageGroupId: group, SequenceNumber: '18850000000000000001' },
});
const failuresOf = (...messageIds: string[]) => ({
  batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('the bundle of accept-requests', () => {
  it('sends a message that is no request to the dead-letter queue, and takes it', async () => {
    aws.script({ SendMessage: acceptMessage });
    expect(await invoke('AcceptRequests', { Records: [record('m1', 'no JSON')] })).toEqual(failuresOf());
    expect(aws.calls).toMatchObject([
      {
        operation: 'SendMessage',
        input: {
          QueueUrl: 'https://queues.invalid/dead-letters',
          MessageBody: 'no JSON',
          MessageAttributes: { reason: { StringValue: 'NOT_JSON' } },
        },
      },
    ]);
  });

  it('gives back what the store did not take, and what follows it in its group, and nothing else', async () => {
    aws.script({ SendMessage: acceptMessage });
    const cancel = JSON.stringify({ cancel: { requestId: 'r1' } });
    const Records = [record('m1', cancel, 'a'), record('m2', 'no JSON', 'b'), record('m3', 'no JSON', 'a')];
    expect(await invoke('AcceptRequests', { Records })).toEqual(failuresOf('m1', 'm3'));
  });
});

describe('the bundle of run-agent', () => {
  it('drops a message that is no wake', async () => {
    aws.script({});
    const Records = [record('m1', 'no JSON'), record('m2', '{"reason":"due"}'), record('m3', '17')];
    expect(await invoke('RunAgent', { Records })).toEqual(failuresOf());
    expect(aws.calls).toEqual([]);
  });

  it('gives back a wake whose drive threw', async () => {
    aws.script({});
    const wake = JSON.stringify({ runId: 'r1', reason: 'accepted' });
    expect(await invoke('RunAgent', { Records: [record('m1', wake)] })).toEqual(failuresOf('m1'));
    expect(aws.calls[0]).toMatchObject({ operation: 'GetItem', input: { TableName: 'runs' } });
  });

  it('takes a wake with a reason of a newer version', async () => {
    aws.script({ GetItem: () => ({}) });
    const wake = JSON.stringify({ runId: 'r1', reason: 'of-a-newer-version' });
    expect(await invoke('RunAgent', { Records: [record('m1', wake)] })).toEqual(failuresOf());
    expect(aws.calls).toMatchObject([{ operation: 'GetItem' }]);
  });
});

describe('the bundle of poll-subagent', () => {
  const round = {
    runId: 'r1',
    ttl: 1_800_000_000,
    intervalMillis: 2_500,
    generation: 1,
    round: 4,
    notBefore: 0,
    waitSeconds: 2,
    done: false,
  };

  it('ends a poller whose run has no call open, without a message', async () => {
    aws.script({ Query: () => ({ Items: [], Count: 0 }), GetItem: () => ({}) });
    expect(await invoke('PollSubagent', round)).toMatchObject({ runId: 'r1', generation: 1, done: true });
    expect(aws.calls[0]).toMatchObject({ operation: 'Query', input: { TableName: 'runs', ConsistentRead: true } });
    expect(aws.calls.filter(({ operation }) => operation === 'SendMessage')).toEqual([]);
  });

  it('fails when the store does not answer, so that the round is repeated', async () => {
    aws.script({});
    await expect(invoke('PollSubagent', round)).rejects.toThrow(/not scripted/);
  });

  it('refuses what is no round', async () => {
    aws.script({});
    await expect(invoke('PollSubagent', { Records: [] })).rejects.toThrow(/runId/);
    expect(aws.calls).toEqual([]);
  });
});

describe('the bundle of sweep-runs', () => {
  it('looks into the index and wakes what is due', async () => {
    let first = true;
    // Due for less than a minute: one that stays due is not woken by each sweep.
    const due = () => ({ pk: { S: 'RUN#r1' }, sk: { S: 'RUN' }, du: { N: String(Date.now() - 30_000) } });
    aws.script({
      Query: () => {
        const Items = first ? [due()] : [];
        first = false;
        return { Items, Count: Items.length };
      },
      SendMessage: acceptMessage,
    });
    await invoke('SweepRuns', {});
    expect(aws.calls[0]).toMatchObject({ operation: 'Query', input: { TableName: 'runs', IndexName: 'due' } });
    expect(aws.calls.filter(({ operation }) => operation === 'SendMessage')).toMatchObject([
      { input: { QueueUrl: 'https://queues.invalid/wakes', MessageBody: '{"runId":"r1","reason":"due"}' } },
    ]);
  });

  it('fails when the index cannot be read, so that its alarm goes off', async () => {
    aws.script({});
    await expect(invoke('SweepRuns', {})).rejects.toThrow(/not scripted/);
  });
});

describe('a bundle', () => {
  it('says what is missing in its environment', async () => {
    await expect(app.invoke('RunAgent', { Records: [] }, { AWS_REGION: 'eu-west-1' })).rejects.toThrow(
      /environment of run-agent.*STORE_TABLE_NAME/s,
    );
  });
});
