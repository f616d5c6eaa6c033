import { StateMachine } from 'aws-local-stepfunctions';
import * as z from 'zod';
import type { InvocationOutcome } from './invocation.ts';
import { type LocalExecution, runExecution } from './local-execution.ts';
import { parseMachineDefinition } from './machine-definition.ts';

/** Why an execution is not started, in the words of AWS. */
export type StartRefusal = 'ExecutionAlreadyExists' | 'InvalidExecutionInput' | 'InvalidName';

export type StartResult =
  | { readonly kind: 'started'; readonly execution: LocalExecution }
  | { readonly kind: 'refused'; readonly reason: StartRefusal; readonly message: string };

export interface LocalMachineOptions {
  readonly arn: string;
  /** Amazon States Language, JSONPath. */
  readonly definition: string;
  /** Calls a function by its ARN. */
  readonly invoke: (functionArn: string, event: unknown) => Promise<InvocationOutcome>;
}

// What AWS refuses is refused here, and a little more.
const NAME = /^[0-9A-Za-z_.-]{1,80}$/;
const invocationSchema = z.object({ FunctionName: z.string(), Payload: z.unknown().optional() });

/** A Standard state machine. Each name is used once, as on AWS: an open execution answers a repeated start, a closed one refuses it. */
export class LocalMachine {
  readonly arn: string;
  readonly #machine: StateMachine;
  readonly #taskNames: readonly string[];
  readonly #invoke: LocalMachineOptions['invoke'];
  readonly #executions = new Map<string, LocalExecution>();

  /** @throws AgentError `LOCAL_STACK_FAILED` for a definition that does not run here */
  constructor({ arn, definition, invoke }: LocalMachineOptions) {
    const parsed = parseMachineDefinition(definition, arn);
    this.arn = arn;
    this.#taskNames = parsed.taskNames;
    this.#invoke = invoke;
    // Checked once: it takes more than a hundred milliseconds. The ARNs are no real ones.
    this.#machine = new StateMachine(parsed.definition, { validationOptions: { checkArn: false } });
  }

  /** Every execution, in the order of the starts. */
  get executions(): readonly LocalExecution[] {
    return [...this.#executions.values()];
  }

  start(name: string, input: string): StartResult {
    const refuse = (reason: StartRefusal, message: string): StartResult => ({ kind: 'refused', reason, message });
    if (!NAME.test(name)) return refuse('InvalidName', `"${name}" is no name of an execution.`);
    if (!isJson(input)) return refuse('InvalidExecutionInput', 'The input is not JSON.');
    const known = this.#executions.get(name);
    if (known?.status === 'RUNNING' && known.input === input) return { kind: 'started', execution: known };
    if (known) return refuse('ExecutionAlreadyExists', `Execution ${known.arn} exists already.`);
    const execution = runExecution({
      arn: `${this.arn.replace(':stateMachine:', ':execution:')}:${name}`,
      machineArn: this.arn,
      name,
      input,
      machine: this.#machine,
      taskNames: this.#taskNames,
      carryOut: (parameters) => this.#callFunction(parameters),
    });
    this.#executions.set(name, execution);
    return { kind: 'started', execution };
  }

  /** Aborts what runs. */
  close(): void {
    for (const execution of this.#executions.values()) execution.abort();
  }

  async #callFunction(parameters: unknown): Promise<unknown> {
    const { FunctionName, Payload } = invocationSchema.parse(parameters);
    const outcome = await this.#invoke(FunctionName, Payload);
    if (outcome.kind === 'succeeded') return { StatusCode: 200, Payload: outcome.result ?? null };
    throw taskError(outcome);
  }
}

/** What Step Functions makes of a function that failed: its own error, or that it is not known what happened. */
function taskError(outcome: Exclude<InvocationOutcome, { kind: 'succeeded' }>): Error {
  const known = 'error' in outcome ? outcome.error : undefined;
  const error = new Error(known ? JSON.stringify(known) : `The function ended: ${outcome.kind}.`);
  error.name = known?.errorType ?? 'Lambda.Unknown';
  return error;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
