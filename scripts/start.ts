// The local stack: synthesizes the app, runs its template and bundles on this machine, and sends one request through it.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { openDeployment } from '../lib/cli/open-deployment.ts';
import { readTrace } from '../lib/cli/read-trace.ts';
import { renderTraceTree } from '../lib/cli/render-tree.ts';
import { buildTraceTree } from '../lib/cli/trace-tree.ts';
import { AgentError } from '../lib/errors/agent-error.ts';
import { type AnswerResult, awaitAnswer, sendRequest } from '../lib/local/first-request.ts';
import { type LocalStack, startLocalStack } from '../lib/local/local-stack.ts';
import { localStackError } from '../lib/local/local-stack-error.ts';
import { progressLine } from '../lib/local/progress-line.ts';
import { refuseSecondStack } from '../lib/local/running-stack.ts';
import { parseStartOptions, START_USAGE, type StartOptions } from '../lib/local/start-options.ts';
import { synthesize } from '../lib/local/synthesize.ts';
import type { RunRecord } from '../lib/store/run-record.ts';
import { RunStore } from '../lib/store/run-store.ts';
import { type DemoAgent, demoAgent } from './demo-agents.ts';
import { OrderlyEnd } from './orderly-end.ts';
import { startJobService } from './services/job-service.ts';
import { startTicketService } from './services/ticket-service.ts';
import { secondsSince, step } from './step.ts';

const PROJECT = dirname(import.meta.dirname);
// npm runs scripts in the project, but people name files from where they are.
const CALLER_DIRECTORY = process.env.INIT_CWD ?? process.cwd();
const ANSWER_LIMIT_MILLIS = 60_000;
const LOG_LINES_SHOWN = 30;

const terminal = {
  colour: process.stdout.isTTY === true && process.stdout.hasColors(),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
};

const program = new OrderlyEnd();
// Ctrl-C is how a stack that is up is meant to end; before, it breaks something off.
let up = false;

process.on('SIGINT', () => void program.end(up ? 0 : 130));
process.on('SIGTERM', () => void program.end(up ? 0 : 143));
process.on('SIGHUP', () => void program.end(up ? 0 : 129));
// The launcher is gone.
process.on('disconnect', () => void program.end(1));

try {
  await start(parseStartOptions(process.argv.slice(2)));
} catch (error) {
  if (!program.hasBegun) {
    console.error(error instanceof AgentError ? error.message : error);
    await program.end(1);
  }
}

async function start(options: StartOptions): Promise<void> {
  if (options.help) {
    console.log(START_USAGE);
    return program.end(0);
  }
  const { stateDirectory: state } = options;
  const stateDirectory = state === undefined ? join(PROJECT, '.local') : resolve(CALLER_DIRECTORY, state);
  await refuseSecondStack(stateDirectory);
  const demo = demoAgent(options.agent);
  const diff = await readDiff(demo, options.diffFile);

  const assemblyDirectory = join(stateDirectory, 'cdk.out');
  await step('Synthesized the app', () =>
    synthesize({ projectDirectory: PROJECT, outputDirectory: assemblyDirectory }),
  );
  const stack = await step('Started table, queues, schedule, state machine and functions', () =>
    startStack(assemblyDirectory, stateDirectory),
  );

  const answered = await runFirstRequest(stack, stateDirectory, demo, diff);
  if (options.once) return program.end(answered ? 0 : 1);
  up = true;
  tellHowToGoOn(stack, stateDirectory, demo);
}

async function startStack(assemblyDirectory: string, stateDirectory: string): Promise<LocalStack> {
  const [tickets, jobs] = await Promise.all([startTicketService(), startJobService()]);
  program.add(() => tickets.close());
  program.add(() => jobs.close());
  const stack = await startLocalStack({
    assemblyDirectory,
    stateDirectory,
    environment: { TICKET_SERVICE_URL: tickets.url, TEST_RUNNER_URL: jobs.url },
  });
  program.add(() => stack.close());
  return stack;
}

async function runFirstRequest(
  stack: LocalStack,
  stateDirectory: string,
  { name: agent }: DemoAgent,
  diff: string,
): Promise<boolean> {
  const requestId = `first-${randomUUID().slice(0, 8)}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sqs = new SQSClient({ region: stack.region, endpoint: stack.endpoints.sqs, credentials });
  const stopListening = stack.onLog(({ text }) => {
    const line = progressLine(text, requestId);
    if (line !== undefined) console.log(`  ${line}`);
  });
  try {
    console.log(`Sending request ${requestId} to ${agent}.`);
    const sentAt = performance.now();
    await sendRequest(sqs, outputOf(stack, 'RequestQueueUrl'), { requestId, agent, input: { diff } });
    const result = await awaitAnswer({
      sqs,
      outputQueueUrl: outputOf(stack, 'OutputQueueUrl'),
      deadLetterQueueUrl: outputOf(stack, 'DeadLetterQueueUrl'),
      requestId,
      timeoutMillis: ANSWER_LIMIT_MILLIS,
    });
    const completed = report(result, secondsSince(sentAt), stack);
    if (result.kind === 'ended') await showTrace(requestId, stateDirectory);
    return completed;
  } finally {
    stopListening();
    sqs.destroy();
  }
}

/** Shows the answer, or what is known about why there is none. */
function report(result: AnswerResult, seconds: string, stack: LocalStack): boolean {
  switch (result.kind) {
    case 'ended':
      for (const output of result.outputs) console.log(JSON.stringify(output, null, 2));
      console.log(`The run ended ${result.status} after ${seconds} s.`);
      if (result.status === 'COMPLETED') return true;
      console.error(JSON.stringify(result.error, null, 2));
      break;
    case 'refused':
      console.error(`The request was refused (${result.reason}): ${result.detail}`);
      break;
    case 'late':
      console.error(`No answer within ${ANSWER_LIMIT_MILLIS / 1000} s.`);
  }
  const lines = stack.logTail(LOG_LINES_SHOWN);
  console.error(
    `The last lines that the functions wrote:${lines.map((line) => `\n  ${line.functionName}: ${line.text}`).join('')}`,
  );
  return false;
}

/** The run once its last write is made, which comes after its answer. */
async function finalRun(runs: RunStore, requestId: string): Promise<RunRecord | undefined> {
  const run = await runs.get(requestId);
  if (run?.status !== 'COMPLETING') return run;
  await pause(20);
  return finalRun(runs, requestId);
}

/** What `lambda-agents trace` shows. */
async function showTrace(requestId: string, stateDirectory: string): Promise<void> {
  const environment = { variables: {}, projectDirectory: PROJECT, workingDirectory: PROJECT };
  const deployment = await openDeployment({ state: stateDirectory }, environment, () => {});
  try {
    const run = await finalRun(new RunStore(deployment.items), requestId);
    if (run) console.log(renderTraceTree(buildTraceTree(await readTrace(deployment, run)), terminal));
  } finally {
    deployment.close();
  }
}

function tellHowToGoOn(stack: LocalStack, stateDirectory: string, { name: agent }: DemoAgent): void {
  const body = `{"agent":"${agent}","input":{"diff":"..."}}`;
  console.log(`
The stack is up until Ctrl-C. Send more:

  npx lambda-agents enqueue ${agent} --input '{"diff":"..."}'

  AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws sqs send-message --region ${stack.region} \\
    --endpoint-url ${stack.endpoints.sqs} --queue-url ${outputOf(stack, 'RequestQueueUrl')} \\
    --message-group-id 1 --message-deduplication-id "$(date +%s)-$RANDOM" --message-body '${body}'

Answers are in ${outputOf(stack, 'OutputQueueUrl')}, logs in ${relative(PROJECT, join(stateDirectory, 'logs'))}.`);
}

function outputOf(stack: LocalStack, name: string): string {
  const value = stack.outputs[name];
  if (value === undefined) throw localStackError(`The app has no output ${name}. Take the stack from AgentStack.`);
  return value;
}

async function readDiff({ sample }: DemoAgent, file: string | undefined): Promise<string> {
  const path = file === undefined ? join(PROJECT, sample) : resolve(CALLER_DIRECTORY, file);
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw localStackError(`${path} cannot be read. Name a file with a unified diff.`, { cause });
  });
}
