import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DynamoDBItemStore } from '../../../lib/adapters/dynamodb-item-store.ts';
import { S3PayloadStore } from '../../../lib/adapters/s3-payload-store.ts';
import { SqsDeadLetterQueue } from '../../../lib/adapters/sqs-dead-letter-queue.ts';
import { SystemClock } from '../../../lib/adapters/system-clock.ts';
import { openDeployment } from '../../../lib/cli/open-deployment.ts';
import { runCli } from '../../../lib/cli/run-cli.ts';
import { announceStack } from '../../../lib/local/running-stack.ts';
import type { Wake } from '../../../lib/ports/queues.ts';
import { createRequestAcceptor, createRunDriver } from '../../../lib/runner/runtime.ts';
import { noPolls } from '../../support/no-polls.ts';
import { openScriptedServer, type ServiceReply } from '../adapters/support/scripted-server.ts';
import { broken, echo } from './support/agents.ts';
import { type LocalServices, startLocalServices } from './support/local-services.ts';

let services: LocalServices;
let directory = '';
beforeEach(async () => {
  services = await startLocalServices();
  directory = await mkdtemp(join(tmpdir(), 'open-'));
});
afterEach(async () => {
  await services.close();
  await rm(directory, { recursive: true });
});

/** Does what the functions of a deployment do with the messages that wait. */
function createFunctions() {
  const { sqs, dynamodb, s3 } = services.clients;
  const {
    RequestQueueUrl = '',
    DeadLetterQueueUrl = '',
    TableName = '',
    PayloadBucketName = '',
  } = services.stack.outputs;
  const wakes: Wake[] = [];
  const payloads = new S3PayloadStore({ client: s3, bucket: PayloadBucketName });
  const ports = {
    items: new DynamoDBItemStore({ client: dynamodb, tableName: TableName, indexName: 'due' }),
    payloads,
    wakes: { send: async (wake: Wake) => void wakes.push(wake) },
    outputs: { send: async () => {} },
    deadLetters: new SqsDeadLetterQueue({ client: sqs, queueUrl: DeadLetterQueueUrl, payloads }),
    trace: { write: () => {} },
    clock: new SystemClock(),
    polls: noPolls,
    createToken: randomUUID,
  };
  const acceptor = createRequestAcceptor({ agents: [echo, broken], ports });
  const driver = createRunDriver({ agents: [echo, broken], ports });
  const invocation = { deadline: Date.now() + 300_000 };
  return async (): Promise<void> => {
    const receive = new ReceiveMessageCommand({
      QueueUrl: RequestQueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    });
    const { Messages = [] } = await sqs.send(receive);
    for (const { MessageId: messageId = '', Body: body = '', Attributes = {}, ReceiptHandle } of Messages) {
      const { MessageGroupId: groupId = '', SequenceNumber: sequenceNumber = '' } = Attributes;
      await acceptor.acceptRequests([{ messageId, body, groupId, sequenceNumber }], invocation);
      await sqs.send(new DeleteMessageCommand({ QueueUrl: RequestQueueUrl, ReceiptHandle }));
    }
    for (const wake of wakes.splice(0)) await driver.driveRun(wake, invocation);
  };
}

/** Runs commands, and lets the functions work whenever one waits. */
function createCli(variables: Readonly<Record<string, string>> = {}) {
  const work = createFunctions();
  const environment = { variables, projectDirectory: directory, workingDirectory: directory };
  return async (...args: readonly string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const exitCode = await runCli(args, {
      terminal: { colour: false, columns: undefined, out: (line) => out.push(line), err: (line) => err.push(line) },
      openDeployment: (choice) => openDeployment(choice, environment, (note) => err.push(note)),
      readText: async () => '',
      now: Date.now,
      pause: work,
      createId: randomUUID,
    });
    return { exitCode, out: out.join('\n'), err: err.join('\n') };
  };
}

describe('against a local stack', () => {
  beforeEach(() => announceStack(join(directory, '.local'), services.stack));

  it('works from the request to the redrive', async () => {
    const cli = createCli();
    const done = await cli('enqueue', 'echo', '--input', '"ab"', '--key', 'k', '--wait');
    expect(done).toMatchObject({ exitCode: 0, out: '[\n  "abab"\n]' });

    const failed = await cli(
      'enqueue',
      'broken',
      '--input',
      JSON.stringify('x'.repeat(100_000)),
      '--request-id',
      'r1',
      '--wait',
    );
    expect(failed).toMatchObject({ exitCode: 1, out: JSON.stringify(['x'.repeat(100_000)], null, 2) });
    expect(await cli('result', 'r1')).toMatchObject({
      exitCode: 1,
      err: 'r1 is FAILED. TerminalError: The disk is full.',
    });

    const runs = await cli('runs', '--json');
    expect(JSON.parse(runs.out)).toMatchObject([{ runId: 'r1', status: 'FAILED' }]);
    const trace = await cli('trace', 'r1');
    expect(trace.out).toMatch(/^run r1 {2}FAILED$[\s\S]*call save {2}FAILED .*TerminalError: The disk is full\.$/m);

    expect(await cli('redrive', 'r1')).toMatchObject({ exitCode: 0, out: 'r1' });
    expect(await cli('enqueue', 'echo', '--input', '"next"', '--wait')).toMatchObject({ exitCode: 0 });
    expect((await cli('trace', 'r1')).out).toContain('redrives 1');
  });

  it('tells which stack it is when the environment names another', async () => {
    const { exitCode, err } = await createCli({ LAMBDA_AGENTS_STACK: 'Prod' })('result', 'nobody');
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^This is the local stack\. For the deployed one: --stack Prod\nThere is no run "nobody"/);
  });

  it('names what a stack lacks', async () => {
    const { TableName: _, ...outputs } = services.stack.outputs;
    await announceStack(join(directory, '.local'), { ...services.stack, outputs });
    const { exitCode, err } = await createCli()('runs');
    expect({ exitCode, err }).toEqual({
      exitCode: 69,
      err: 'the local stack has no output TableName. Name a stack that AgentStack made and that is completely deployed.',
    });
  });
});

describe('against a deployed stack', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('finds its parts by the outputs of the stack, at the endpoints of the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    const { endpoints, outputs } = services.stack;
    const cloudFormation = await openScriptedServer(Array(2).fill(() => describeStacks(outputs)));
    const variables = {
      LAMBDA_AGENTS_STACK: 'Agents',
      AWS_ENDPOINT_URL: endpoints.sqs,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    };
    const cli = createCli(variables);
    expect(await cli('enqueue', 'echo', '--input', '"ab"', '--wait')).toMatchObject({
      exitCode: 0,
      out: '[\n  "abab"\n]',
    });
    const unknown = await cli('result', 'nobody', '--stack', 'Other');
    expect(unknown.err).toContain('There is no run "nobody" in stack "Other".');
    expect(cloudFormation.requests.map(({ body }) => new URLSearchParams(body).get('StackName'))).toEqual([
      'Agents',
      'Other',
    ]);
    await cloudFormation.close();
  });
});

function describeStacks(outputs: Readonly<Record<string, string>>): ServiceReply {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return {
    body: `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}
