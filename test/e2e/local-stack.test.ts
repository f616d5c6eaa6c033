import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';
import { type LocalStack, type LocalStackOptions, startLocalStack } from '../../lib/local/local-stack.ts';
import { findRunningStack } from '../../lib/local/running-stack.ts';

const ASSEMBLY = resolve(import.meta.dirname, '../fixtures/local-assembly');
const PROBE = 'run-probe';
// The timeout of one second counts from the receive, a moment before the function is called.
const VISIBLE_AGAIN_MILLIS = 900;

interface Answer {
  readonly pid: number;
  readonly requestId: string;
  readonly remaining: number;
  readonly records: readonly SQSRecord[];
  readonly environment: Readonly<Record<string, string>>;
  readonly scheduled?: Readonly<Record<string, unknown>>;
}

interface Sending {
  readonly queue?: 'RequestQueueUrl' | 'WakeQueueUrl';
  readonly group?: string;
  readonly delaySeconds?: number;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(options: Partial<LocalStackOptions> = {}) {
  const stack = await startLocalStack({ assemblyDirectory: ASSEMBLY, ...options });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const sqs = new SQSClient({ region: stack.region, endpoint: stack.endpoints.sqs, credentials });
  cleanups.push(async () => {
    sqs.destroy();
    await stack.close();
  });
  let sent = 0;
  return {
    stack,
    sqs,
    async send(command: object, { queue = 'WakeQueueUrl', group, delaySeconds }: Sending = {}): Promise<void> {
      sent += 1;
      const fifo = { MessageGroupId: group ?? `group-${sent}`, MessageDeduplicationId: `message-${sent}` };
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: stack.outputs[queue],
          MessageBody: JSON.stringify(command),
          ...(queue === 'RequestQueueUrl' ? fifo : {}),
          ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
          MessageAttributes: {
            reason: { DataType: 'String', StringValue: 'test' },
            bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
          },
        }),
      );
    },
    async answer(): Promise<Answer> {
      const body = await receiveBody(sqs, stack.outputs.AnswerQueueUrl ?? '');
      return JSON.parse(body);
    },
  };
}

async function receiveBody(sqs: SQSClient, queueUrl: string): Promise<string> {
  const { Messages: [message] = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 20 }),
  );
  if (message === undefined) throw new Error(`Nothing arrived in ${queueUrl} within 20 s.`);
  await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }));
  return message.Body ?? '';
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const outcomes = (stack: LocalStack): readonly string[] => stack.invocations.map(({ outcome }) => outcome);

const ended = (stack: LocalStack, count: number): Promise<void> =>
  vi.waitFor(() => expect(stack.invocations).toHaveLength(count), { timeout: 20_000, interval: 10 });

it('hands a message to the function as Lambda does', async () => {
  const { stack, send, answer } = await start();
  await send({ text: 'déjà vu 🙂' }, { queue: 'RequestQueueUrl', group: 'customer 7' });
  const { records, remaining, requestId } = await answer();
  expect(records).toEqual([
    {
      messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      receiptHandle: expect.any(String),
      body: '{"text":"déjà vu 🙂"}',
      attributes: {
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        ApproximateReceiveCount: '1',
        MessageDeduplicationId: 'message-1',
        MessageGroupId: 'customer 7',
        SenderId: expect.any(String),
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SequenceNumber: expect.stringMatching(/^\d{20}$/),
      },
      messageAttributes: {
        reason: { stringValue: 'test', stringListValues: [], binaryListValues: [], dataType: 'String' },
        bytes: { binaryValue: 'AQI=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
      },
      md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
      md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Probe-Requests.fifo',
      awsRegion: 'us-east-1',
    },
  ]);
  expect(remaining).toBeGreaterThan(290_000);
  expect(remaining).toBeLessThanOrEqual(300_000);
  await ended(stack, 1);
  expect(stack.invocations[0]).toMatchObject({ functionName: PROBE, requestId, outcome: 'succeeded' });
});

it('gives functions the environment of the template and of Lambda, and nothing of this process', async () => {
  const { stack, send, answer } = await start({ environment: { OVERRIDDEN: 'by the caller', ADDED: 'yes' } });
  await send({});
  const { environment } = await answer();
  expect(environment).toMatchObject({
    ANSWERS_URL: stack.outputs.AnswerQueueUrl,
    TABLE_NAME: stack.outputs.TableName,
    GREETING: 'from-us-east-1',
    OVERRIDDEN: 'by the caller',
    ADDED: 'yes',
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: PROBE,
    AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
  });
  expect(environment).not.toHaveProperty('HOME');
  expect(environment).not.toHaveProperty('VITEST');
});

it('creates the table with its index, and the bucket', async () => {
  const { stack } = await start();
  const dynamodb = new DynamoDBClient({
    region: stack.region,
    endpoint: stack.endpoints.dynamodb,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  cleanups.push(async () => dynamodb.destroy());
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: stack.outputs.TableName }));
  expect(Table).toMatchObject({
    TableStatus: 'ACTIVE',
    GlobalSecondaryIndexes: [{ IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } }],
  });
  expect((await fetch(`${stack.endpoints.s3}/${stack.outputs.BucketName}`)).status).toBe(200);
});

it('brings back only the failed message of a batch, when its visibility timeout ends', async () => {
  const overrides = { visibilityTimeoutSeconds: 1, maxWorkersPerFunction: 1 };
  const { stack, send, answer } = await start({ overrides });
  // While the only process is busy nothing is received, so that the next two arrive as one batch.
  await send({ wait: 300 }, { queue: 'RequestQueueUrl' });
  await answer();
  await send({ n: 1 }, { queue: 'RequestQueueUrl' });
  await send({ n: 2, fail: true }, { queue: 'RequestQueueUrl' });
  const batch = await answer();
  const again = await answer();
  expect(batch.records.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2,"fail":true}']);
  expect(again.records.map(({ body }) => body)).toEqual(['{"n":2,"fail":true}']);
  expect(again.records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  await ended(stack, 3);
  const [, second, third] = stack.invocations;
  expect((third?.startedAt ?? 0) - (second?.startedAt ?? 0)).toBeGreaterThanOrEqual(VISIBLE_AGAIN_MILLIS);
});

it('leaves a whole batch in the queue when the handler throws, and moves it to the dead-letter queue in the end', async () => {
  const { stack, sqs, send } = await start({ overrides: { visibilityTimeoutSeconds: 1 } });
  await send({ throw: 'no luck' }, { queue: 'RequestQueueUrl' });
  expect(await receiveBody(sqs, stack.outputs.DeadLetterQueueUrl ?? '')).toBe('{"throw":"no luck"}');
  expect(outcomes(stack)).toEqual(['failed', 'failed']);
  const [first, second] = stack.invocations;
  expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(VISIBLE_AGAIN_MILLIS);
  expect(stack.logTail(10, PROBE).map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/platform.runtimeDone.*RangeError.*no luck/),
  );
});

it('kills a function at its timeout', async () => {
  const { stack, send, answer } = await start({ overrides: { functionTimeoutSeconds: 0.5 } });
  await send({ hang: true });
  const { pid } = await answer();
  await ended(stack, 1);
  expect(outcomes(stack)).toEqual(['timed-out']);
  expect(isAlive(pid)).toBe(false);
});

it('carries on in another process when one is killed in the middle of an invocation', async () => {
  const { stack, send, answer } = await start({ overrides: { visibilityTimeoutSeconds: 1 } });
  await send({ wait: 1_500 });
  const first = await answer();
  expect(stack.workerPids(PROBE)).toEqual([first.pid]);
  process.kill(first.pid, 'SIGKILL');
  const second = await answer();
  expect(second.pid).not.toBe(first.pid);
  expect(second.records[0]?.messageId).toBe(first.records[0]?.messageId);
  expect(second.records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  await ended(stack, 2);
  expect(outcomes(stack)).toEqual(['crashed', 'succeeded']);
});

it('reports a process that ended by itself as crashed', async () => {
  const { stack, send } = await start();
  await send({ exit: 3 });
  await ended(stack, 1);
  expect(outcomes(stack)).toEqual(['crashed']);
});

it('runs each concurrent invocation in a process of its own, up to the mapping’s limit, and reuses it', async () => {
  const { stack, send, answer } = await start();
  for (let sent = 0; sent < 5; sent += 1) await send({ wait: 400 });
  const answers = [await answer(), await answer(), await answer(), await answer(), await answer()];
  await ended(stack, 5);
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(3);
  const { invocations } = stack;
  for (const { startedAt } of invocations) {
    const running = invocations.filter((other) => other.startedAt <= startedAt && startedAt < other.endedAt);
    expect(running.length).toBeLessThanOrEqual(3);
    expect(new Set(running.map(({ pid }) => pid)).size).toBe(running.length);
  }
});

it('keeps the order of a FIFO group while other groups go on', async () => {
  const { send, answer } = await start();
  await send({ n: 'a1', wait: 500 }, { queue: 'RequestQueueUrl', group: 'a' });
  await send({ n: 'a2' }, { queue: 'RequestQueueUrl', group: 'a' });
  const first = await answer();
  await send({ n: 'b1' }, { queue: 'RequestQueueUrl', group: 'b' });
  const bodies = [first, await answer(), await answer()].flatMap(({ records }) => records.map(({ body }) => body));
  expect(bodies.map((body) => JSON.parse(body).n)).toEqual(['a1', 'b1', 'a2']);
});

it('delivers a delayed message after its delay', async () => {
  const { send, answer } = await start();
  const sentAt = Date.now();
  await send({}, { delaySeconds: 1 });
  await answer();
  expect(Date.now() - sentAt).toBeGreaterThanOrEqual(1_000);
});

it('calls a scheduled function again and again', async () => {
  const { answer } = await start({ overrides: { sweepIntervalMillis: 100 } });
  expect((await answer()).scheduled).toMatchObject({ source: 'aws.scheduler', 'detail-type': 'Scheduled Event' });
  expect((await answer()).scheduled).toMatchObject({ detail: '{}' });
});

it('runs a state machine, whose tasks call a function that is warm', async () => {
  const { stack } = await start();
  const pids = stack.workerPids('make-round');
  expect(pids).toHaveLength(1);
  const sfn = new SFNClient({
    region: stack.region,
    endpoint: stack.endpoints.sfn,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  cleanups.push(async () => sfn.destroy());
  const begin = (name: string, waitSeconds: number) =>
    sfn.send(
      new StartExecutionCommand({
        stateMachineArn: stack.outputs.RoundsArn,
        name,
        input: JSON.stringify({ rounds: 2, waitSeconds, done: false }),
      }),
    );
  const { executionArn } = await begin('short', 0);
  await begin('long', 600);
  await vi.waitFor(() => expect(stack.executions()[0]?.status).not.toBe('RUNNING'), { timeout: 10_000 });
  const { status, output = '' } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
  expect(status).toBe('SUCCEEDED');
  expect(JSON.parse(output)).toEqual({ rounds: 0, waitSeconds: 0, done: true, sfn: stack.endpoints.sfn });
  expect(stack.executions()).toMatchObject([
    { name: 'short', status: 'SUCCEEDED', transitions: 2 * 3 + 1 },
    { name: 'long', status: 'RUNNING', transitions: 1 },
  ]);
  expect(stack.invocations.map(({ functionName, pid }) => [functionName, pid])).toEqual([
    ['make-round', pids[0]],
    ['make-round', pids[0]],
  ]);
  await stack.close();
  expect(stack.executions()[1]).toMatchObject({ status: 'ABORTED' });
  await expect(fetch(stack.endpoints.sfn)).rejects.toThrow();
});

it('announces itself while it runs, keeps logs, and leaves nothing behind', async () => {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'local-stack-'));
  cleanups.push(() => rm(stateDirectory, { recursive: true }));
  const { stack, send, answer } = await start({ stateDirectory });
  expect(await findRunningStack(stateDirectory)).toMatchObject({
    pid: process.pid,
    endpoints: stack.endpoints,
    outputs: stack.outputs,
  });
  await send({ hang: true });
  const { pid } = await answer();
  await vi.waitFor(() => expect(stack.logTail(1, PROBE)[0]?.text).toBe('obeying {"hang":true}'));
  await stack.close();
  expect(isAlive(pid)).toBe(false);
  expect(stack.workerPids(PROBE)).toEqual([]);
  expect(await findRunningStack(stateDirectory)).toBeUndefined();
  await expect(fetch(stack.endpoints.sqs)).rejects.toThrow();
  await expect(fetch(stack.endpoints.dynamodb)).rejects.toThrow();
  expect(await readFile(join(stateDirectory, 'logs', `${PROBE}.log`), 'utf8')).toContain('obeying {"hang":true}\n');
});

it('takes its processes along when it is killed itself', async () => {
  const child: ChildProcess = fork(resolve(import.meta.dirname, '../fixtures/local-assembly/start-and-tell.ts'), {
    execArgv: [],
  });
  cleanups.push(async () => child.kill('SIGKILL'));
  const [pids] = (await once(child, 'message')) as [readonly number[]];
  expect(pids.map(isAlive)).toEqual([true, true]);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 5_000 });
});
