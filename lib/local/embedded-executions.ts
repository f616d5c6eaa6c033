import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import type { EmbeddedService } from './embedded-store.ts';
import { type LocalExecution, type LocalMachine, StartRefusedError } from './local-machine.ts';

/** Executions of the state machines, at an endpoint that speaks as Step Functions does. */
export interface EmbeddedExecutions extends EmbeddedService {
  /** Machines by their ARN. */
  readonly machines: Map<string, LocalMachine>;
}

const TARGET = 'AWSStepFunctions.';
const startInput = z.object({ stateMachineArn: z.string(), name: z.string(), input: z.string().default('{}') });
const executionInput = z.object({ executionArn: z.string() });
const listInput = z.object({ stateMachineArn: z.string() });

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
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return perform(action, JSON.parse(Buffer.concat(chunks).toString('utf8')), machines);
  } catch (error) {
    return refuse('ValidationException', String(error));
  }
}

function perform(action: string, input: unknown, machines: ReadonlyMap<string, LocalMachine>): Answer {
  switch (action) {
    case 'StartExecution': {
      const { stateMachineArn, name, input: text } = startInput.parse(input);
      const machine = machines.get(stateMachineArn);
      if (machine === undefined) return refuse('StateMachineDoesNotExist', `There is no machine ${stateMachineArn}.`);
      return start(machine, name, text);
    }
    case 'DescribeExecution':
      return withExecution(input, machines, (execution) => describe(execution));
    case 'StopExecution':
      return withExecution(input, machines, (execution) => {
        execution.abort();
        return { stopDate: Date.now() / 1_000 };
      });
    case 'ListExecutions': {
      const machine = machines.get(listInput.parse(input).stateMachineArn);
      return { status: 200, body: { executions: machine?.executions.map(describe) ?? [] } };
    }
    default:
      return refuse('UnknownOperationException', `${action} does not run here.`);
  }
}

function start(machine: LocalMachine, name: string, input: string): Answer {
  try {
    const { arn, startedAt } = machine.start(name, input);
    return { status: 200, body: { executionArn: arn, startDate: startedAt / 1_000 } };
  } catch (error) {
    if (!(error instanceof StartRefusedError)) throw error;
    return refuse(error.code, error.message);
  }
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

const describe = ({ arn, machineArn, name, status, startedAt, stoppedAt, input }: LocalExecution): object => ({
  executionArn: arn,
  stateMachineArn: machineArn,
  name,
  status,
  input,
  startDate: startedAt / 1_000,
  ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1_000 }),
});

const refuse = (type: string, message: string): Answer => ({ status: 400, body: { __type: type, message } });
