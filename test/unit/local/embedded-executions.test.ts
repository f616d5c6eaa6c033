import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SfnPollScheduler } from '../../../lib/adapters/sfn-poll-scheduler.ts';
import { type EmbeddedExecutions, startEmbeddedExecutions } from '../../../lib/local/embedded-executions.ts';
import { LocalMachine } from '../../../lib/local/local-machine.ts';
import { createLocalClients } from '../../contract/support/local-clients.ts';

const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:Waiting';
const WAITING = JSON.stringify({
  StartAt: 'Wait',
  States: { Wait: { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'Done' }, Done: { Type: 'Succeed' } },
});
const LONG = '{"waitSeconds":100}';
const NONE = '{"waitSeconds":0}';

let executions: EmbeddedExecutions;
let client: SFNClient;
beforeEach(async () => {
  executions = await startEmbeddedExecutions();
  const invoke = () => Promise.reject(new Error('There is no function.'));
  executions.machines.set(stateMachineArn, new LocalMachine({ arn: stateMachineArn, definition: WAITING, invoke }));
  client = new SFNClient({
    region: 'us-east-1',
    endpoint: executions.endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
});
afterEach(async () => {
  client.destroy();
  await executions.close();
});

async function start(name: string | undefined, input: string): Promise<string> {
  const { executionArn = '' } = await client.send(new StartExecutionCommand({ stateMachineArn, name, input }));
  return executionArn;
}
const describeExecution = (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn }));
const ended = (executionArn: string) =>
  vi.waitFor(async () => expect((await describeExecution(executionArn)).status).not.toBe('RUNNING'));

it('shows an execution from its start to its end', async () => {
  const before = Date.now();
  const executionArn = await start('first', NONE);
  expect(executionArn).toBe('arn:aws:states:us-east-1:000000000000:execution:Waiting:first');
  await ended(executionArn);
  const { $metadata: _, startDate, stopDate, ...shown } = await describeExecution(executionArn);
  expect(shown).toEqual({
    executionArn,
    stateMachineArn,
    name: 'first',
    status: 'SUCCEEDED',
    input: NONE,
    output: NONE,
  });
  expect(startDate?.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(stopDate?.getTime()).toBeGreaterThanOrEqual(startDate?.getTime() ?? Number.NaN);
});

it('gives a name to an execution that has none', async () => {
  expect(await start(undefined, NONE)).not.toBe(await start(undefined, NONE));
});

it('stops an execution', async () => {
  const executionArn = await start('first', LONG);
  const { stopDate } = await client.send(new StopExecutionCommand({ executionArn }));
  expect(await describeExecution(executionArn)).toMatchObject({ status: 'ABORTED', stopDate });
});

it('lists executions, the latest first, those of one status when asked', async () => {
  for (const name of ['a', 'b']) await start(name, LONG);
  await ended(await start('c', NONE));
  const namesOf = async (statusFilter?: 'RUNNING') => {
    const { executions: listed = [] } = await client.send(new ListExecutionsCommand({ stateMachineArn, statusFilter }));
    return listed.map(({ name }) => name);
  };
  expect(await namesOf()).toEqual(['c', 'b', 'a']);
  expect(await namesOf('RUNNING')).toEqual(['b', 'a']);
});

it('says by name what is not there or not allowed', async () => {
  const executionArn = `${stateMachineArn.replace('stateMachine', 'execution')}:none`;
  await expect(describeExecution(executionArn)).rejects.toThrow(
    expect.objectContaining({ name: 'ExecutionDoesNotExist' }),
  );
  const unknown = { stateMachineArn: `${stateMachineArn}2`, name: 'a', input: '{}' };
  const names = [
    new StartExecutionCommand(unknown),
    new StartExecutionCommand({ ...unknown, stateMachineArn, name: 'a b' }),
    new StartExecutionCommand({ ...unknown, stateMachineArn, input: 'no JSON' }),
  ].map((command) => client.send(command).catch(({ name }: Error) => name));
  expect(await Promise.all(names)).toEqual(['StateMachineDoesNotExist', 'InvalidName', 'InvalidExecutionInput']);
  await expect(client.send(new ListExecutionsCommand({ stateMachineArn: unknown.stateMachineArn }))).rejects.toThrow(
    expect.objectContaining({ name: 'StateMachineDoesNotExist' }),
  );
  await expect(client.send(new ListStateMachinesCommand({}))).rejects.toThrow(/ListStateMachines does not run here/);
});

it('aborts what is open and frees its port when it is closed', async () => {
  await start('first', LONG);
  await executions.close();
  expect(executions.machines.get(stateMachineArn)?.executions).toMatchObject([{ status: 'ABORTED' }]);
  await expect(fetch(executions.endpoint)).rejects.toThrow();
});

it('tells the poll scheduler whether a poller lives', async () => {
  const { sfn } = createLocalClients({ sfn: executions.endpoint });
  const scheduler = new SfnPollScheduler({ client: sfn, stateMachineArn });
  const poller = { runId: 'r1', ttl: 1_800_000_000, intervalMillis: 100_000, generation: 1 };
  expect(await scheduler.start(poller)).toBe('polling');
  expect(await scheduler.start(poller)).toBe('polling');
  const machine = executions.machines.get(stateMachineArn);
  machine?.close();
  expect(await scheduler.start(poller)).toBe('closed');
  expect(await scheduler.start({ ...poller, generation: 2 })).toBe('polling');
  expect(await scheduler.start({ ...poller, ttl: poller.ttl + 1 })).toBe('polling');
  expect(machine?.executions).toHaveLength(3);
  (await sfn()).destroy();
});
