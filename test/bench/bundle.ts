import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { atMost, type Figure, median } from './figure.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RUNS = 15;

/** The clients that run-agent cannot do without. */
const CLIENTS = `
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand, DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient, SendMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
export const payloads = () => import('@aws-sdk/client-s3').then(({ S3Client, GetObjectCommand, PutObjectCommand }) => [S3Client, GetObjectCommand, PutObjectCommand]);
export const pollers = () => import('@aws-sdk/client-sfn').then(({ SFNClient, StartExecutionCommand }) => [SFNClient, StartExecutionCommand]);
export const handler = () => [DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand, DeleteItemCommand, SQSClient, SendMessageCommand, SendMessageBatchCommand];
`;

/** Stands for the deployed agents, whose own schemas and clients are not the framework's. */
const ECHO = `
import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
export const agents = [
  defineAgent({ name: 'echo' }).addAction('answer', EventType.InputEvent, (event, ctx) => ctx.sendEvent(OutputEvent(event.input))),
];
`;
const plainAgent: Plugin = {
  name: 'plain agent',
  setup({ onLoad }) {
    onLoad({ filter: /functions\/agents\/deployed\.ts$/ }, () => ({ contents: ECHO, loader: 'ts', resolveDir: ROOT }));
  },
};

/** run-agent's bundle and import, over the AWS clients that it uses alone; with an agent that needs nothing itself. */
export async function bundleFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lambda-agents-bench-'));
  try {
    const clients = await bundle(folder, 'clients', CLIENTS);
    const runAgent = await bundle(
      folder,
      'run-agent',
      `export { handler } from '${join(ROOT, 'functions/run-agent.ts')}';`,
    );
    const importRatios: number[] = [];
    for (let run = 0; run < RUNS; run += 1) importRatios.push(importMillis(runAgent.file) / importMillis(clients.file));
    return [
      atMost(
        'bundle: run-agent over its AWS clients',
        (runAgent.gzipBytes - clients.gzipBytes) / 1_024,
        'KB gzip',
        120,
      ),
      atMost('bundle: import of run-agent over importing its AWS clients', median(importRatios), 'ratio', 1.3),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Bundled as the stack bundles it. */
async function bundle(
  folder: string,
  name: string,
  source: string,
): Promise<{ readonly file: string; readonly gzipBytes: number }> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    plugins: [plainAgent],
    stdin: { contents: source, resolveDir: ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return { file: outfile, gzipBytes: gzipSync(readFileSync(outfile)).byteLength };
}

/** Time of the import in a fresh process, as a cold start sees it. */
function importMillis(file: string): number {
  const script = `const start = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - start);`;
  const environment = {
    PATH: process.env.PATH,
    AWS_REGION: 'us-east-1',
    STORE_TABLE_NAME: 'store',
    STORE_INDEX_NAME: 'due',
    WAKE_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/wake',
    OUTPUT_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/output.fifo',
    DEAD_LETTER_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/dead.fifo',
    PAYLOAD_BUCKET_NAME: 'bucket',
    STATUS_POLLER_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:poller',
    DEPLOYMENT_CONFIG: '{}',
  };
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: environment,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`The bundle ${file} did not load: ${result.stderr}`);
  return Number(result.stdout.trim());
}
