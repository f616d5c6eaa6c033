import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InvocationOutcome } from '../../../lib/local/invocation.ts';
import type { LocalExecution } from '../../../lib/local/local-execution.ts';
import { LocalMachine } from '../../../lib/local/local-machine.ts';

const ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:Agents-Poller';
const FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:poll';
const START = '{"wait":1,"done":false}';

/** Rounds until `done`, as the status poller makes them; a failed one is repeated after 2 and 4 s. */
const definitionOf = (machine: object = {}) =>
  JSON.stringify({
    StartAt: 'Wait',
    States: {
      Wait: { Type: 'Wait', SecondsPath: '$.wait', Next: 'Ask' },
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: FUNCTION, 'Payload.$': '$' },
        OutputPath: '$.Payload',
        Retry: [{ ErrorEquals: ['Lambda.Unknown', 'StoreError'], IntervalSeconds: 2, MaxAttempts: 2, BackoffRate: 2 }],
        Next: 'IsDone',
      },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Wait',
      },
      Done: { Type: 'Succeed' },
    },
    ...machine,
  });

const answer = (result: unknown): InvocationOutcome => ({ kind: 'succeeded', result });
const throwing = (errorType: string): InvocationOutcome => ({
  kind: 'failed',
  error: { errorType, errorMessage: 'no answer', trace: [] },
});
const killed: InvocationOutcome = { kind: 'crashed', exitCode: null, signal: 'SIGKILL' };
const goOn = answer({ wait: 1, done: false });
const done = answer({ wait: 0, done: true });

let calls: { readonly at: number; readonly arn: string; readonly event: unknown }[];
let startedAt: number;
beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  startedAt = Date.now();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A machine whose function gives these answers in turn. */
const machineOf = (
  outcomes: readonly (InvocationOutcome | Promise<InvocationOutcome>)[],
  definition = definitionOf(),
) =>
  new LocalMachine({
    arn: ARN,
    definition,
    async invoke(arn, event) {
      calls.push({ at: Date.now() - startedAt, arn, event });
      const outcome = outcomes[calls.length - 1];
      if (outcome === undefined) throw new Error('The function was called too often.');
      return outcome;
    },
  });

function start(machine: LocalMachine, name = 'first', input = START): LocalExecution {
  const result = machine.start(name, input);
  if (result.kind === 'refused') throw new Error(result.message);
  return result.execution;
}

const times = () => calls.map(({ at }) => at);

describe('an execution', () => {
  it('waits, calls the function and chooses until it is done, three states a round', async () => {
    const execution = start(machineOf([goOn, answer({ wait: 5, done: false }), done]));
    expect(execution).toMatchObject({ status: 'RUNNING', name: 'first', machineArn: ARN, startedAt });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times()).toEqual([1_000, 2_000, 7_000]);
    expect(calls[0]).toMatchObject({ arn: FUNCTION, event: { wait: 1, done: false } });
    expect(calls[2]?.event).toEqual({ wait: 5, done: false });
    expect(execution).toMatchObject({
      arn: 'arn:aws:states:us-east-1:000000000000:execution:Agents-Poller:first',
      status: 'SUCCEEDED',
      stoppedAt: startedAt + 7_000,
      transitions: 3 * 3 + 1,
      output: '{"wait":0,"done":true}',
    });
  });

  it('repeats a task that failed, and counts that as Step Functions does', async () => {
    const execution = start(machineOf([throwing('StoreError'), killed, done]));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times()).toEqual([1_000, 3_000, 7_000]);
    expect(execution).toMatchObject({ status: 'SUCCEEDED', transitions: 3 + 1 + 2 });
  });

  it('begins its repetitions anew in each round', async () => {
    const execution = start(machineOf([killed, killed, goOn, killed, killed, done]));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(execution.status).toBe('SUCCEEDED');
  });

  it('fails when the repetitions are used up, with the error of the function', async () => {
    const execution = start(machineOf([killed, killed, throwing('StoreError')]));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(3);
    expect(execution).toMatchObject({
      status: 'FAILED',
      failure: { error: 'StoreError', cause: '{"errorType":"StoreError","errorMessage":"no answer","trace":[]}' },
    });
  });

  it('fails at once for an error that is not to be repeated', async () => {
    const execution = start(machineOf([throwing('TypeError')]));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    expect(execution).toMatchObject({ status: 'FAILED', failure: { error: 'TypeError' }, transitions: 2 });
  });

  it('waits for a function however long it takes', async () => {
    const late = new Promise<InvocationOutcome>((resolve) => setTimeout(() => resolve(done), 600_000));
    const execution = start(machineOf([late]));
    await vi.advanceTimersByTimeAsync(602_000);
    expect(execution).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('ends with the time of its machine', async () => {
    const execution = start(machineOf([goOn], definitionOf({ TimeoutSeconds: 2 })), 'first', '{"wait":5,"done":false}');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual([]);
    expect(execution).toMatchObject({ status: 'TIMED_OUT', stoppedAt: startedAt + 2_000 });
  });

  it.each([
    ['while it waits', 500, 0],
    ['while it waits to repeat a task', 1_500, 1],
  ])('calls nothing more once it was aborted %s', async (_when, at, called) => {
    const execution = start(machineOf([killed]));
    await vi.advanceTimersByTimeAsync(at);
    execution.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(called);
    expect(execution).toMatchObject({ status: 'ABORTED', stoppedAt: startedAt + at });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stays aborted when the function that it called comes back', async () => {
    const late = new Promise<InvocationOutcome>((resolve) => setTimeout(() => resolve(done), 5_000));
    const execution = start(machineOf([late]));
    await vi.advanceTimersByTimeAsync(2_000);
    execution.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(execution).toMatchObject({ status: 'ABORTED', stoppedAt: startedAt + 2_000 });
    expect(execution.output).toBeUndefined();
  });

  it('does not change once it has ended', async () => {
    const execution = start(machineOf([done]));
    await vi.advanceTimersByTimeAsync(2_000);
    execution.abort();
    expect(execution).toMatchObject({ status: 'SUCCEEDED', stoppedAt: startedAt + 1_000 });
  });
});

describe('a state machine', () => {
  it('answers an equal start with the execution that is open', async () => {
    const machine = machineOf([done]);
    expect(start(machine)).toBe(start(machine));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toHaveLength(1);
    expect(machine.executions).toHaveLength(1);
  });

  it('refuses an open name with another input', () => {
    const machine = machineOf([]);
    start(machine);
    expect(machine.start('first', '{"wait":2,"done":false}')).toMatchObject({
      kind: 'refused',
      reason: 'ExecutionAlreadyExists',
    });
  });

  it('refuses the name of one that has ended, however it ended, whatever the input', async () => {
    const machine = machineOf([done, throwing('TypeError')]);
    start(machine, 'good');
    await vi.advanceTimersByTimeAsync(2_000);
    start(machine, 'bad');
    await vi.advanceTimersByTimeAsync(2_000);
    start(machine, 'stopped').abort();
    expect(machine.executions.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED', 'ABORTED']);
    for (const name of ['good', 'bad', 'stopped']) {
      expect(machine.start(name, START)).toMatchObject({ reason: 'ExecutionAlreadyExists' });
    }
  });

  it.each([
    ['a b', START, 'InvalidName'],
    ['', START, 'InvalidName'],
    ['a'.repeat(81), START, 'InvalidName'],
    ['a', 'no JSON', 'InvalidExecutionInput'],
  ])('refuses the name %j with the input %j', (name, input, reason) => {
    const machine = machineOf([]);
    expect(machine.start(name, input)).toMatchObject({ kind: 'refused', reason });
    expect(machine.executions).toEqual([]);
  });

  it('aborts what is open when it is closed', async () => {
    const machine = machineOf([done]);
    start(machine, 'ended');
    await vi.advanceTimersByTimeAsync(2_000);
    start(machine, 'open');
    machine.close();
    expect(machine.executions.map(({ status }) => status)).toEqual(['SUCCEEDED', 'ABORTED']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
