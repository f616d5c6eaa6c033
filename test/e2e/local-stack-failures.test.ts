import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startLocalStack } from '../../lib/local/local-stack.ts';
import { announceStack, findRunningStack } from '../../lib/local/running-stack.ts';

const FIXTURE = resolve(import.meta.dirname, '../fixtures/local-assembly');

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'local-stack-failures-'));
  await cp(FIXTURE, directory, { recursive: true });
  // The fixture's own imports a package, which is not found from here.
  await writeBundle('export const handler = async () => {};');
});
afterEach(() => rm(directory, { recursive: true }));

const start = () => startLocalStack({ assemblyDirectory: directory, stateDirectory: join(directory, 'state') });
const writeBundle = (code: string) => writeFile(join(directory, 'asset.probe/index.mjs'), code);

async function changeProperties(logicalId: string, properties: object): Promise<void> {
  const file = join(directory, 'Probe.template.json');
  const template = JSON.parse(await readFile(file, 'utf8'));
  Object.assign(template.Resources[logicalId].Properties, properties);
  await writeFile(file, JSON.stringify(template));
}

it('shows why a bundle cannot be loaded, with what it had written', async () => {
  await writeBundle(`console.log('about to fail'); throw new RangeError('no configuration');`);
  await expect(start()).rejects.toThrow(
    /(run-probe|make-round) did not start: RangeError: no configuration\.[\s\S]*about to fail[\s\S]*index\.mjs/,
  );
  expect(await findRunningStack(join(directory, 'state'))).toBeUndefined();
});

it('names the export that a bundle lacks', async () => {
  await writeBundle('export const handle = () => {};');
  await expect(start()).rejects.toThrow(/does not export a function "handler"/);
});

it('says so when a process ends while it loads its bundle', async () => {
  await writeBundle('process.exit(5);');
  await expect(start()).rejects.toThrow(/ended while it loaded the handler \(exit code 5\)/);
});

it.each<[string, string, object, RegExp]>([
  [
    'a provisioned table',
    'Table',
    { BillingMode: 'PROVISIONED' },
    /Table \(AWS::DynamoDB::GlobalTable\)[\s\S]*BillingMode/,
  ],
  [
    'another runtime',
    'ProbeFunction',
    { Runtime: 'python3.13' },
    /ProbeFunction \(AWS::Lambda::Function\)[\s\S]*Runtime/,
  ],
  ['a missing bundle', 'ProbeFunction', { Code: { S3Key: 'gone.zip' } }, /ProbeFunction has no bundle gone\.zip/],
  ['a missing file', 'ProbeFunction', { Handler: 'main.handler' }, /no file for handler "main\.handler"/],
  [
    'filtered messages',
    'WakeMapping',
    { FilterCriteria: { Filters: [] } },
    /WakeMapping[\s\S]*messages are not filtered here/,
  ],
  ['another event source', 'WakeMapping', { EventSourceArn: 'arn:aws:kinesis:x' }, /WakeMapping[\s\S]*EventSourceArn/],
  ['an unknown function', 'WakeMapping', { FunctionName: 'other' }, /names the function other/],
  ['an Express state machine', 'Rounds', { StateMachineType: 'EXPRESS' }, /Rounds[\s\S]*StateMachineType/],
  [
    'a definition in JSONata',
    'Rounds',
    { DefinitionString: '{"QueryLanguage":"JSONata"}' },
    /uses JSONata\. Use JSONPath/,
  ],
  ['a broken function of a state machine', 'RoundFunction', { Handler: 'index.gone' }, /make-round did not start/],
  ['a calendar schedule', 'Sweep', { ScheduleExpression: 'cron(0 1 * * ? *)' }, /cron\(0 1 \* \* \? \*\)/],
])('refuses %s by name', async (_name, logicalId, properties, message) => {
  await changeProperties(logicalId, properties);
  await expect(start()).rejects.toThrow(message);
});

it('does not start where another stack runs, and leaves that one alone', async () => {
  const state = join(directory, 'state');
  const other = {
    pid: process.pid,
    region: 'us-east-1',
    endpoints: {
      dynamodb: 'http://127.0.0.1:1',
      sqs: 'http://127.0.0.1:2',
      s3: 'http://127.0.0.1:2',
      sfn: 'http://127.0.0.1:4',
    },
    outputs: {},
    logDirectory: state,
  };
  await announceStack(state, other);
  await expect(start()).rejects.toThrow(`already (process ${process.pid})`);
  expect(await findRunningStack(state)).toEqual(other);
});
