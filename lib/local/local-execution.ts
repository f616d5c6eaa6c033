import { ExecutionTimeoutError, type StateMachine } from 'aws-local-stepfunctions';
import * as z from 'zod';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** One execution of a state machine. */
export interface LocalExecution {
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly status: ExecutionStatus;
  readonly stoppedAt?: number;
  /** States entered and tasks repeated: what Step Functions charges for. */
  readonly transitions: number;
  /** JSON, of one that succeeded. */
  readonly output?: string;
  /** Of one that failed. */
  readonly failure?: { readonly error: string; readonly cause: string };
  abort(): void;
}

/** Who an execution is, and what it begins with. */
export type ExecutionStart = Pick<LocalExecution, 'arn' | 'machineArn' | 'name' | 'input'>;

export interface RunExecutionOptions extends ExecutionStart {
  readonly machine: StateMachine;
  readonly taskNames: readonly string[];
  /** Carries out a task, with what its parameters say. */
  readonly carryOut: (parameters: unknown) => Promise<unknown>;
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

const failureSchema = z.object({ cause: z.object({ name: z.string(), message: z.string() }) });
const TRANSITIONS = new Set(['StateEntered', 'StateRetried']);

/** Starts an execution. It goes on by itself until it ends or is aborted. */
export function runExecution({ machine, taskNames, carryOut, ...start }: RunExecutionOptions): LocalExecution {
  const input = JSON.parse(start.input);
  const task = async (parameters: unknown): Promise<unknown> => {
    // The library goes on to the next attempt when it is aborted between two.
    if (execution.status !== 'RUNNING') throw new Error('The execution was aborted.');
    return carryOut(parameters);
  };
  const { result, eventLogs, abort } = machine.run(input, {
    context: { Execution: { Id: start.arn, Name: start.name }, StateMachine: { Id: start.machineArn } },
    overrides: { taskResourceLocalHandlers: Object.fromEntries(taskNames.map((name) => [name, task as never])) },
  });
  const end = (status: ExecutionStatus, details: Pick<LocalExecution, 'output' | 'failure'> = {}): void => {
    if (execution.status === 'RUNNING') Object.assign(execution, { status, stoppedAt: Date.now(), ...details });
  };
  const execution: Changing<LocalExecution> = {
    ...start,
    startedAt: Date.now(),
    status: 'RUNNING',
    transitions: 0,
    abort() {
      end('ABORTED');
      abort();
    },
  };
  result.then(
    (output) => end('SUCCEEDED', { output: JSON.stringify(output) }),
    (error: unknown) => {
      if (error instanceof ExecutionTimeoutError) return end('TIMED_OUT');
      const { name, message } = failureSchema.safeParse(error).data?.cause ?? {
        name: 'States.Runtime',
        message: String(error),
      };
      end('FAILED', { failure: { error: name, cause: message } });
    },
  );
  void countTransitions(eventLogs, execution);
  return execution;
}

async function countTransitions(
  events: AsyncIterable<{ readonly type: string }>,
  execution: Changing<LocalExecution>,
): Promise<void> {
  for await (const { type } of events) if (TRANSITIONS.has(type)) execution.transitions += 1;
}
