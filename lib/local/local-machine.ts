import { StateMachine } from 'aws-local-stepfunctions';
import * as z from 'zod';
import type { InvocationOutcome } from './invocation.ts';
import { localStackError } from './local-stack-error.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED';

/** One execution of a state machine. */
export interface LocalExecution {
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  readonly input: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  stoppedAt?: number;
  status: ExecutionStatus;
  /** States entered: what Step Functions charges for, but for the repetitions of a task. */
  transitions: number;
  abort(): void;
}

/** Why an execution cannot be started, as AWS says it. */
export class StartRefusedError extends Error {
  readonly code: 'ExecutionAlreadyExists' | 'InvalidName';

  constructor(code: StartRefusedError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const NAME = /^[0-9A-Za-z_-]{1,80}$/;
const invokeTask = z.looseObject({ Type: z.literal('Task'), Resource: z.string().endsWith(':states:::lambda:invoke') });
const definitionSchema = z.looseObject({
  StartAt: z.string(),
  States: z.record(z.string(), z.looseObject({ Type: z.string() })),
});
const taskInput = z.object({ FunctionName: z.string(), Payload: z.unknown() });

export interface LocalMachineOptions {
  readonly arn: string;
  /** Amazon States Language, JSONPath. */
  readonly definition: string;
  /** Calls a function by its ARN. */
  readonly invoke: (functionArn: string, event: unknown) => Promise<InvocationOutcome>;
}

/** A Standard state machine. Each name is used once, as on AWS: an open execution answers a repeated start, a closed one refuses it. */
export class LocalMachine {
  readonly arn: string;
  readonly #machine: StateMachine;
  readonly #tasks: Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
  readonly #executions = new Map<string, LocalExecution>();

  /** @throws AgentError `LOCAL_STACK_FAILED` for a definition that does not run here */
  constructor({ arn, definition, invoke }: LocalMachineOptions) {
    this.arn = arn;
    const parsed = definitionSchema.parse(JSON.parse(definition));
    // Both would be ignored without a word.
    if (definition.includes('"QueryLanguage"') || definition.includes('"Assign"')) {
      throw localStackError(`State machine ${arn} uses JSONata or variables, which do not run here. Use JSONPath.`);
    }
    const tasks = Object.entries(parsed.States).filter(([, { Type }]) => Type === 'Task');
    const other = tasks.find(([, task]) => !invokeTask.safeParse(task).success);
    if (other)
      throw localStackError(`State "${other[0]}" of ${arn} calls something else than a function. Use lambda:invoke.`);
    this.#tasks = Object.fromEntries(
      tasks.map(([name]) => [name, (input: unknown) => invokeFunction(invoke, taskInput.parse(input))]),
    );
    // Checked once: it takes more than a hundred milliseconds. The ARNs are no real ones.
    this.#machine = new StateMachine(JSON.parse(definition), { validationOptions: { checkArn: false } });
  }

  /** Every execution, in the order of the starts. */
  get executions(): readonly LocalExecution[] {
    return [...this.#executions.values()];
  }

  /** @throws StartRefusedError */
  start(name: string, input: string): LocalExecution {
    if (!NAME.test(name)) throw new StartRefusedError('InvalidName', `${name} is no name of an execution.`);
    const known = this.#executions.get(name);
    if (known?.status === 'RUNNING' && known.input === input) return known;
    if (known) throw new StartRefusedError('ExecutionAlreadyExists', `Execution ${name} exists already.`);
    const startedAt = Date.now();
    const arn = `${this.arn.replace(':stateMachine:', ':execution:')}:${name}`;
    const context = {
      Execution: { Id: arn, Name: name, Input: JSON.parse(input), StartTime: new Date().toISOString() },
    };
    const run = this.#machine.run(JSON.parse(input), {
      context: { ...context, StateMachine: { Id: this.arn } },
      overrides: { taskResourceLocalHandlers: this.#tasks as never },
    });
    const execution: LocalExecution = {
      arn,
      machineArn: this.arn,
      name,
      input,
      startedAt,
      status: 'RUNNING',
      transitions: 0,
      abort: () => {
        if (execution.status !== 'RUNNING') return;
        stop('ABORTED');
        run.abort();
      },
    };
    const stop = (status: ExecutionStatus): void => {
      if (execution.status !== 'RUNNING') return;
      execution.status = status;
      execution.stoppedAt = Date.now();
    };
    run.result.then(
      () => stop('SUCCEEDED'),
      () => stop('FAILED'),
    );
    void countStates(run.eventLogs, execution);
    this.#executions.set(name, execution);
    return execution;
  }

  /** Aborts what runs. */
  close(): void {
    for (const execution of this.#executions.values()) execution.abort();
  }
}

async function countStates(events: AsyncIterable<{ readonly type: string }>, execution: LocalExecution): Promise<void> {
  for await (const { type } of events) if (type.endsWith('StateEntered')) execution.transitions += 1;
}

async function invokeFunction(
  invoke: LocalMachineOptions['invoke'],
  { FunctionName, Payload }: z.infer<typeof taskInput>,
): Promise<unknown> {
  const outcome = await invoke(FunctionName, Payload);
  if (outcome.kind === 'succeeded') return { StatusCode: 200, Payload: outcome.result ?? null };
  throw taskError(outcome);
}

/** What Step Functions makes of a function that did not answer: its own error, or that it is not known what happened. */
function taskError(outcome: Exclude<InvocationOutcome, { kind: 'succeeded' }>): Error {
  const known = outcome.kind === 'failed' ? outcome.error : undefined;
  const error = new Error(known?.errorMessage ?? `The function ended: ${outcome.kind}.`);
  error.name = known?.errorType ?? 'Lambda.Unknown';
  return error;
}
