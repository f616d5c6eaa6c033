// The deploy rehearsal: deploys the app into an AWS emulator, sends one request through it that waits for a remote job, and takes it down again.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { awaitAnswer, sendRequest } from '../lib/local/first-request.ts';
import { progressLine } from '../lib/local/progress-line.ts';
import { runProgram } from '../lib/local/run-program.ts';
import { synthesize } from '../lib/local/synthesize.ts';
import { OrderlyEnd } from './orderly-end.ts';
import { readLog } from './rehearsal/emulated-logs.ts';
import { type Emulator, installEmulator, startEmulator } from './rehearsal/emulator.ts';
import { leaveOut } from './rehearsal/leave-out.ts';
import { type JobService, startJobService } from './services/job-service.ts';
import { startTicketService, type TicketService } from './services/ticket-service.ts';
import { step } from './step.ts';

const PROJECT = dirname(import.meta.dirname);
const STACK = 'Agents';
const REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'rehearsal', secretAccessKey: 'rehearsal' };
const ANSWER_LIMIT_MILLIS = 120_000;
const LOG_LIMIT_MILLIS = 20_000;
/** What the emulator cannot do; AWS can. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'AWS::Logs::QueryDefinition': 'the emulator has no such type',
  'Custom::S3AutoDeleteObjects': 'the emulator gives a bucket no tags, and its code looks for one',
};

const outputsSchema = z.object({
  RequestQueueUrl: z.string(),
  OutputQueueUrl: z.string(),
  DeadLetterQueueUrl: z.string(),
  RunAgentLogGroupName: z.string(),
  StatusPollerArn: z.string(),
});
type Outputs = z.output<typeof outputsSchema>;

const program = new OrderlyEnd();
process.on('SIGINT', () => void program.end(130));
process.on('SIGTERM', () => void program.end(143));

let emulator: Emulator | undefined;
try {
  await rehearse();
  console.log('The rehearsal succeeded.');
  await program.end(0);
} catch (error) {
  if (!program.hasBegun) {
    console.error(error instanceof Error ? error.message : error);
    if (emulator) console.error(`The last lines of the emulator and the functions:\n${emulator.logTail(40)}`);
    await program.end(1);
  }
}

async function rehearse(): Promise<void> {
  await step('Installed the emulator', () => installEmulator(PROJECT));
  const directory = await mkdtemp(join(tmpdir(), 'rehearsal-'));
  program.add(() => rm(directory, { recursive: true, force: true }));
  const running = await step('Started the emulator', () =>
    startEmulator({ projectDirectory: PROJECT, region: REGION, temporaryDirectory: directory }),
  );
  emulator = running;
  program.add(() => running.stop());
  const tickets = await step('Started the ticket service', () => startTicketService());
  program.add(() => tickets.close());
  const jobs = await step('Started the test runner', () => startJobService());
  program.add(() => jobs.close());
  const assembly = join(directory, 'cdk.out');
  await step('Synthesized the app', () =>
    synthesize({
      projectDirectory: PROJECT,
      outputDirectory: assembly,
      context: { removable: 'true', ticketServiceUrl: tickets.url, testRunnerUrl: jobs.url, stackName: STACK },
    }),
  );
  const leftOut = await leaveOut(assembly, Object.keys(LEFT_OUT));
  for (const id of leftOut) console.log(`  left out: ${id}`);

  const cdk = (...parameters: string[]) => runCdk(running.url, parameters);
  await step('Bootstrapped the account', () => cdk('bootstrap', `aws://000000000000/${REGION}`));
  const outputsFile = join(directory, 'outputs.json');
  await step('Deployed the stack', () =>
    cdk('deploy', STACK, '--app', assembly, '--require-approval', 'never', '--outputs-file', outputsFile),
  );
  const outputs = outputsSchema.parse(JSON.parse(await readFile(outputsFile, 'utf8'))[STACK]);

  const requestId = `rehearsal-${randomUUID().slice(0, 8)}`;
  await step(`Answered request ${requestId}`, () => sendAndCheck(running.url, outputs, requestId, tickets));
  await step('Found its one job, polled by the state machine', () => checkPolling(running.url, outputs, jobs));
  await step('Found its trace in the log', () => checkTrace(running.url, outputs.RunAgentLogGroupName, requestId));

  await step('Destroyed the stack', () => cdk('destroy', STACK, '--app', assembly, '--force'));
  await step('Found nothing left of it', () => checkGone(running.url));
}

function runCdk(endpoint: string, parameters: readonly string[]): Promise<void> {
  const bin = join(PROJECT, 'node_modules', '.bin');
  return runProgram(join(bin, 'cdk'), [...parameters, '--no-notices', '--no-version-reporting', '--ci'], {
    cwd: PROJECT,
    environment: {
      HOME: process.env.HOME,
      PATH: [bin, process.env.PATH ?? ''].join(delimiter),
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      // Nobody's account may be touched, whatever the machine is set up for.
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
      CDK_DISABLE_CLI_TELEMETRY: 'true',
    },
    timeoutMillis: 300_000,
  });
}

async function sendAndCheck(
  endpoint: string,
  outputs: Outputs,
  requestId: string,
  tickets: TicketService,
): Promise<void> {
  const sqs = new SQSClient({ region: REGION, endpoint, credentials: CREDENTIALS, useQueueUrlAsEndpoint: false });
  try {
    const diff = await readFile(join(PROJECT, 'functions/agents/code-review/sample.diff'), 'utf8');
    await sendRequest(sqs, outputs.RequestQueueUrl, { requestId, agent: 'code_review', input: { diff } });
    const answer = await awaitAnswer({
      sqs,
      outputQueueUrl: outputs.OutputQueueUrl,
      deadLetterQueueUrl: outputs.DeadLetterQueueUrl,
      requestId,
      timeoutMillis: ANSWER_LIMIT_MILLIS,
    });
    if (answer.kind !== 'ended' || answer.status !== 'COMPLETED' || answer.outputs.length !== 1) {
      throw new Error(`The request was not answered by one output: ${JSON.stringify(answer)}`);
    }
  } finally {
    sqs.destroy();
  }
  const opened = tickets.tickets().map(({ key }) => key);
  if (opened.length !== 1 || opened[0] !== requestId) {
    throw new Error(`There should be one ticket, for ${requestId}, but there are ${JSON.stringify(opened)}.`);
  }
}

/** The emulator's own Step Functions has followed the job to its end. */
async function checkPolling(endpoint: string, { StatusPollerArn }: Outputs, jobs: JobService): Promise<void> {
  if (jobs.jobs().length !== 1) throw new Error(`There should be one job, but there are ${jobs.jobs().length}.`);
  const client = new SFNClient({ region: REGION, endpoint, credentials: CREDENTIALS });
  const deadline = Date.now() + LOG_LIMIT_MILLIS;
  try {
    for (;;) {
      const { executions = [] } = await client.send(new ListExecutionsCommand({ stateMachineArn: StatusPollerArn }));
      const statuses = executions.map(({ status }) => status);
      if (statuses.length > 0 && statuses.every((status) => status === 'SUCCEEDED')) return;
      if (Date.now() > deadline) throw new Error(`The pollers did not end well: ${JSON.stringify(statuses)}.`);
      await pause(500);
    }
  } finally {
    client.destroy();
  }
}

async function checkTrace(endpoint: string, logGroupName: string, requestId: string): Promise<void> {
  const deadline = Date.now() + LOG_LIMIT_MILLIS;
  while (Date.now() < deadline) {
    const lines = await readLog(endpoint, REGION, logGroupName);
    const progress = lines.map((line) => progressLine(line.trim(), requestId)).filter((line) => line !== undefined);
    const isTold = (what: string) => progress.some((line) => line.startsWith(what));
    if (isTold('run code_review suspended') && isTold('durable call open-ticket success')) {
      for (const line of progress) console.log(`  ${line}`);
      return;
    }
    await pause(500);
  }
  throw new Error(`The log ${logGroupName} tells nothing of the waiting and the ticket of ${requestId}.`);
}

async function checkGone(endpoint: string): Promise<void> {
  const client = new CloudFormationClient({ region: REGION, endpoint, credentials: CREDENTIALS });
  try {
    const { StackSummaries = [] } = await client.send(new ListStacksCommand({}));
    const status = StackSummaries.find(({ StackName }) => StackName === STACK)?.StackStatus;
    if (status !== undefined && status !== 'DELETE_COMPLETE') throw new Error(`The stack is ${status} and not gone.`);
  } finally {
    client.destroy();
  }
}
