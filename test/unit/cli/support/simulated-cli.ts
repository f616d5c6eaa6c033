import { createHash } from 'node:crypto';
import type { AgentDefinition } from '../../../../lib/agent/define-agent.ts';
import type { CommandContext } from '../../../../lib/cli/command.ts';
import type { DeadLetter, DeadLetterBox, Deployment, OutgoingRequest } from '../../../../lib/cli/deployment.ts';
import type { ExitCode } from '../../../../lib/cli/exit-code.ts';
import { runCli } from '../../../../lib/cli/run-cli.ts';
import type { RefusedMessage } from '../../../../lib/ports/queues.ts';
import { CrashPlan } from '../../../../lib/testing/crashing-process.ts';
import { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';

export interface CliResult {
  readonly exitCode: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface SimulatedCli {
  readonly simulated: SimulatedDeployment;
  /** What the commands sent to the request queue. */
  readonly sent: readonly OutgoingRequest[];
  /** Deployments that were opened and not closed. */
  readonly openDeployments: number;
  run(...args: readonly string[]): Promise<CliResult>;
  /** Lets the deployment work until the runs are final or BLOCKED. */
  settle(...runIds: readonly string[]): Promise<void>;
}

/** The command line against a deployment in memory. While a command waits, the deployment works. */
export function createSimulatedCli(
  agents: readonly AgentDefinition[],
  texts: Readonly<Record<string, string>> = {},
): SimulatedCli {
  const simulated = new SimulatedDeployment({ agents, crashes: new CrashPlan([]) });
  const sent: OutgoingRequest[] = [];
  let open = 0;
  let ids = 0;
  const deployment: Deployment = {
    name: 'the simulated deployment',
    items: simulated.items,
    payloads: simulated.payloads,
    requests: {
      async send(request) {
        sent.push(request);
        return simulated.send(request.body, request.groupId);
      },
    },
    deadLetters: boxOf(simulated.deadLetters.sent),
    close() {
      open -= 1;
    },
  };
  const context = (out: string[], err: string[]): CommandContext => ({
    terminal: { colour: false, columns: undefined, out: (line) => out.push(line), err: (line) => err.push(line) },
    async openDeployment() {
      open += 1;
      return deployment;
    },
    async readText(file) {
      const text = texts[file ?? '-'];
      if (text === undefined) throw new Error(`The test has no file ${file}.`);
      return text;
    },
    now: () => simulated.clock.now(),
    async pause(millis) {
      simulated.clock.advanceBy(millis);
      while (await simulated.step());
    },
    createId() {
      ids += 1;
      return `id-${ids}`;
    },
  });
  return {
    simulated,
    sent,
    get openDeployments() {
      return open;
    },
    async run(...args) {
      const out: string[] = [];
      const err: string[] = [];
      const exitCode = await runCli(args, context(out, err));
      return { exitCode, out: out.join('\n'), err: err.join('\n') };
    },
    settle: (...runIds) =>
      simulated.settle(async () => {
        const runs = await Promise.all(runIds.map((runId) => simulated.run(runId)));
        return runs.every((run) => run && ['COMPLETED', 'FAILED', 'CANCELLED', 'BLOCKED'].includes(run.status));
      }),
  };
}

/** Shows the refused messages, each once, as a queue that hides what was received. */
function boxOf(messages: readonly RefusedMessage[]): DeadLetterBox {
  const hidden = new Set<string>();
  return {
    async receive() {
      const visible = messages.map(toLetter).filter(({ messageId }) => !hidden.has(messageId));
      for (const { messageId } of visible) hidden.add(messageId);
      return visible;
    },
    async delete() {
      throw new Error('The commands delete no refused message.');
    },
    async release(letters) {
      for (const { messageId } of letters) hidden.delete(messageId);
    },
    async countVisible() {
      return messages.length - hidden.size;
    },
  };
}

function toLetter({ messageId, groupId, body, reason, detail }: RefusedMessage): DeadLetter {
  // A message that our code sent to the queue is another one than the refused.
  const ownId = createHash('sha256').update(messageId).digest('hex');
  const refusal = { reason, detail, messageId };
  return { messageId: ownId, receipt: ownId, deduplicationId: messageId, groupId, body, refusal, attributes: {} };
}
