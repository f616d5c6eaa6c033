import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import type { EmbeddedService } from './embedded-store.ts';
import type { LocalExecution } from './local-execution.ts';
import type { LocalMachine } from './local-machine.ts';

/** Executions of the state machines, at an endpoint that speaks as Step Functions does. */
export interface EmbeddedExecutions extends EmbeddedService {
  /** Machines by their ARN. */
  readonly machines: Map<string, LocalMachine>;
}

const TARGET = 'AWSStepFunctions.';
const startInput = z.object({
  stateMachineArn: z.string(),
  name: z.string().default(randomUUID),
  input: z.string().default('{}'),
});
const executionInput = z.object({ executionArn: z.string() });
const listInput = z.object({ stateMachineArn: z.string(), statusFilter: z.string().optional() });

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Starts the endpoint: `StartExecution`, `DescribeExecution`, `StopExecution` and `ListExecutions`. Executions end with this process. */
export async function startEmbeddedExecutions(): Promise<EmbeddedExecutions> {
  const machines = new Map<string, LocalMachine>();
  const server = createServer((request, response) => {
    void answer(request, machines).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    machines,
    async close() {
      for (const machine of machines.values()) machine.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, machines: ReadonlyMap<string, LocalMachine>): Promise<Answer> {
  try {
    const action = String(request.headers['x-amz-target'] ?? '').slice(TARGET.length);
    return perform(action, await json(request), machines);
  } catch (error) {
    return refuse('ValidationException', String(error));
  }
}

function perform(action: string, input: unknown, machines: ReadonlyMap<string, LocalMachine>): Answer {
  switch (action) {
    case 'StartExecution': {
      const { stateMachineArn, name, input: text } = startInput.parse(input);
      return withMachine(stateMachineArn, machines, (machine) => start(machine, name, text));
    }
    case 'DescribeExecution':
      return withExecution(input, machines, describe);
    case 'StopExecution':
      return withExecution(input, machines, (execution) => {
        execution.abort();
        return { stopDate: seconds(execution.stoppedAt) };
      });
    case 'ListExecutions': {
      const { stateMachineArn, statusFilter } = listInput.parse(input);
      return withMachine(stateMachineArn, machines, ({ executions }) => {
        const shown = executions.filter(({ status }) => statusFilter === undefined || status === statusFilter);
        // The latest first, as on AWS.
        return { status: 200, body: { executions: shown.toReversed().map(summarize) } };
      });
    }
    default:
      return refuse('UnknownOperationException', `${action} does not run here.`);
  }
}

function start(machine: LocalMachine, name: string, input: string): Answer {
  const result = machine.start(name, input);
  if (result.kind === 'refused') return refuse(result.reason, result.message);
  const { arn, startedAt } = result.execution;
  return { status: 200, body: { executionArn: arn, startDate: seconds(startedAt) } };
}

function withMachine(
  arn: string,
  machines: ReadonlyMap<string, LocalMachine>,
  use: (machine: LocalMachine) => Answer,
): Answer {
  const machine = machines.get(arn);
  return machine ? use(machine) : refuse('StateMachineDoesNotExist', `There is no state machine ${arn}.`);
}

function withExecution(
  input: unknown,
  machines: ReadonlyMap<string, LocalMachine>,
  use: (execution: LocalExecution) => object,
): Answer {
  const { executionArn } = executionInput.parse(input);
  const found = [...machines.values()].flatMap(({ executions }) => executions).find(({ arn }) => arn === executionArn);
  if (found === undefined) return refuse('ExecutionDoesNotExist', `There is no execution ${executionArn}.`);
  return { status: 200, body: use(found) };
}

const summarize = ({ arn, machineArn, name, status, startedAt, stoppedAt }: LocalExecution): object => ({
  executionArn: arn,
  stateMachineArn: machineArn,
  name,
  status,
  startDate: seconds(startedAt),
  stopDate: seconds(stoppedAt),
});

const describe = (execution: LocalExecution): object => ({
  ...summarize(execution),
  input: execution.input,
  output: execution.output,
  ...execution.failure,
});

/** Times as the protocol has them; JSON leaves out what is not there. */
const seconds = (millis: number | undefined): number | undefined => (millis === undefined ? undefined : millis / 1_000);

const refuse = (type: string, message: string): Answer => ({ status: 400, body: { __type: type, message } });
