import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { announceStack, findRunningStack, type RunningStack, withdrawStack } from '../../../lib/local/running-stack.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'running-stack-'));
});
afterEach(() => rm(directory, { recursive: true }));

const stack = (pid: number): RunningStack => ({
  pid,
  region: 'us-east-1',
  endpoints: {
    dynamodb: 'http://127.0.0.1:1',
    sqs: 'http://127.0.0.1:2',
    s3: 'http://127.0.0.1:2',
    sfn: 'http://127.0.0.1:4',
  },
  outputs: { TableName: 'Agents-Table' },
  logDirectory: '/logs',
});

it('is found while its process lives', async () => {
  const state = join(directory, 'not', 'there', 'yet');
  expect(await findRunningStack(state)).toBeUndefined();
  await announceStack(state, stack(process.pid));
  expect(await findRunningStack(state)).toEqual(stack(process.pid));
});

it('is not found after it was withdrawn', async () => {
  await announceStack(directory, stack(process.pid));
  await withdrawStack(directory);
  expect(await findRunningStack(directory)).toBeUndefined();
  await withdrawStack(directory);
});

it('is not found when its process is gone', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  await announceStack(directory, stack(pid));
  expect(await findRunningStack(directory)).toBeUndefined();
});

it.each(['{"pid":', '{"pid":1,"region":"us-east-1"}'])(
  'says what to do about a file that it does not understand: %s',
  async (text) => {
    await writeFile(join(directory, 'stack.json'), text);
    await expect(findRunningStack(directory)).rejects.toThrow(/stack\.json is not of this version\. End the stack/);
  },
);

it('says so when the directory is a file', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  await expect(findRunningStack(file)).rejects.toThrow(/file\/stack\.json cannot be read\. Choose another directory/);
});
