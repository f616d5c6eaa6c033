import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseDeployment } from '../../../lib/cli/choose-deployment.ts';
import type { DeploymentChoice } from '../../../lib/cli/deployment.ts';
import { announceStack, type RunningStack } from '../../../lib/local/running-stack.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'choose-'));
});
afterEach(() => rm(directory, { recursive: true }));

const stack: RunningStack = {
  pid: process.pid,
  region: 'us-east-1',
  endpoints: {
    dynamodb: 'http://127.0.0.1:1',
    sqs: 'http://127.0.0.1:2',
    s3: 'http://127.0.0.1:2',
    sfn: 'http://127.0.0.1:4',
  },
  outputs: { TableName: 'table' },
  logDirectory: '/logs',
};

const choose = (choice: DeploymentChoice, variables: Readonly<Record<string, string>> = {}) =>
  chooseDeployment(choice, { variables, projectDirectory: join(directory, 'project'), workingDirectory: directory });

describe('without a local stack', () => {
  it('takes the stack that is named, the option before the variable', async () => {
    const variables = { LAMBDA_AGENTS_STACK: 'Variable' };
    expect(await choose({ stack: 'Option' }, variables)).toEqual({ kind: 'deployed', stackName: 'Option' });
    expect(await choose({}, variables)).toEqual({ kind: 'deployed', stackName: 'Variable' });
  });

  it.each([[{}], [{ region: 'eu-central-1' }]])('tells what to do when none is named: %j', async (choice) => {
    await expect(choose(choice, { LAMBDA_AGENTS_STACK: '' })).rejects.toThrow(
      /^No local stack runs and no stack is named\. Start one with npm start, or name a deployed one with --stack NAME/,
    );
  });

  it('does not fall back from a local stack that was asked for', async () => {
    await expect(choose({ state: 'second' }, { LAMBDA_AGENTS_STACK: 'Prod' })).rejects.toThrow(
      'No local stack runs with its state in second. Start it with npm start.',
    );
  });
});

describe('with a local stack', () => {
  beforeEach(() => announceStack(join(directory, 'project', '.local'), stack));

  it('takes it, and knows what else the environment names', async () => {
    expect(await choose({})).toEqual({ kind: 'local', stack, insteadOf: undefined });
    expect(await choose({}, { LAMBDA_AGENTS_STACK: 'Prod' })).toEqual({ kind: 'local', stack, insteadOf: 'Prod' });
  });

  it.each([[{ stack: 'Prod' }], [{ region: 'eu-central-1' }], [{ endpointUrl: 'http://127.0.0.1:3' }]])(
    'takes the deployed one when asked for it: %j',
    async (choice) => {
      expect(await choose(choice, { LAMBDA_AGENTS_STACK: 'Prod' })).toEqual({ kind: 'deployed', stackName: 'Prod' });
    },
  );

  it('finds another one by its state directory', async () => {
    await announceStack(join(directory, 'second'), { ...stack, region: 'second' });
    for (const state of ['second', join(directory, 'second')]) {
      expect(await choose({ state })).toMatchObject({ kind: 'local', stack: { region: 'second' } });
    }
  });

  it.each(['{', '{"pid":1}'])('names a file that cannot be read: %s', async (text) => {
    await mkdir(join(directory, 'broken'));
    await writeFile(join(directory, 'broken', 'stack.json'), text);
    await expect(choose({ state: 'broken' })).rejects.toThrow(
      /broken.stack\.json cannot be read\. End the local stack/,
    );
  });
});
