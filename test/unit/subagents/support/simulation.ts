import {
  type AgentDefinition,
  type ConfigInput,
  defineAgent,
  EventType,
  OutputEvent,
  ResourceType,
  type SubagentResult,
} from 'lambda-agents';
import { type TestRuntime, testRuntime } from 'lambda-agents/testing';
import { isFinal, type RunRecord } from '../../../../lib/store/run-record.ts';
import type { PollExecution } from '../../../../lib/testing/in-memory-poll-scheduler.ts';
import type { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';
import { type JobService, JobSetup } from './job-service.ts';

/** Options that stand beside the class. */
interface Polling {
  readonly statusPollIntervalMillis?: number;
  readonly timeoutMillis?: number;
}

/** An agent with one sub-agent, "remote", and no actions yet. */
export const agentWith = (service: JobService, polling: Polling = {}) =>
  defineAgent({ name: 'asks' }).addResource('remote', ResourceType.AGENT, { clazz: JobSetup, service, ...polling });

/** An agent that gives its input to "remote" as many times as asked at once, and sends the answers. */
export const askingAgent = (service: JobService, polling: Polling = {}, calls = 1) =>
  agentWith(service, polling).addAction('ask', EventType.InputEvent, async ({ input }, ctx) => {
    const remote = ctx.getResource('remote', ResourceType.AGENT);
    const answers = await Promise.all(Array.from({ length: calls }, () => remote.submit(input)));
    ctx.sendEvent(OutputEvent(answers.map(textOf)));
  });

/** What the action sends of an answer. */
export const textOf = (answer: SubagentResult): unknown =>
  answer.success ? answer.result : { error: answer.errorMessage };

/** Agents in memory, with the services on their clock. */
export function simulate(
  agents: AgentDefinition | readonly AgentDefinition[],
  services: JobService | readonly JobService[],
  config: ConfigInput = {},
): TestRuntime {
  const runtime = testRuntime([agents].flat(), { config });
  for (const service of [services].flat()) service.useClock(runtime.deployment.clock);
  return runtime;
}

/** Lets everything go on until nothing is under way and no execution polls. */
export const finishAll = (deployment: SimulatedDeployment): Promise<void> =>
  deployment.settle(async () => deployment.isIdle && deployment.polls.open().length === 0);

/** Lets everything go on until the run is final. */
export async function endOf(deployment: SimulatedDeployment, runId: string): Promise<RunRecord> {
  let run: RunRecord | undefined;
  await deployment.settle(async () => {
    run = await deployment.run(runId);
    return run !== undefined && isFinal(run.status);
  });
  return run as RunRecord;
}

/** Redrives a run that has failed, and lets everything go on until it is final again. */
export async function redriveToEnd(deployment: SimulatedDeployment, requestId: string): Promise<RunRecord> {
  const before = (await deployment.run(requestId))?.redrives ?? 0;
  deployment.send({ redrive: { requestId } });
  await deployment.settle(async () => ((await deployment.run(requestId))?.redrives ?? 0) > before);
  return endOf(deployment, requestId);
}

/** Sends a request and lets everything go on until its run waits. */
export async function startWaiting(
  deployment: SimulatedDeployment,
  requestId: string,
  more: { readonly input?: unknown; readonly key?: string } = {},
): Promise<void> {
  deployment.send({ agent: 'asks', requestId, input: null, ...more });
  await deployment.settle(async () => (await deployment.run(requestId))?.status === 'SUSPENDED');
}

/** Lets everything go on for a while. */
export async function goOn(deployment: SimulatedDeployment, millis: number): Promise<void> {
  const end = deployment.clock.now() + millis;
  await deployment.settle(async () => deployment.clock.now() >= end);
}

/** What the run has sent so far. */
export const outputsOf = (deployment: SimulatedDeployment, runId: string): readonly unknown[] =>
  deployment.outputs.delivered
    .map(({ body }) => JSON.parse(body) as { readonly requestId: string; readonly output?: unknown })
    .filter((message) => message.requestId === runId && 'output' in message)
    .map(({ output }) => output);

/** The function of the state machine fails before it does anything, until it is mended. */
export function breakPollFunction(deployment: SimulatedDeployment): { mend(): void } {
  const { polls } = deployment;
  const due = polls.due.bind(polls);
  polls.due = () => {
    for (let execution = due(); execution; execution = due()) polls.answer(execution, undefined);
    return undefined;
  };
  return {
    mend: () => {
      polls.due = due;
    },
  };
}

/** States of the executions, in the order of their starts. */
export const statesOf = (executions: readonly PollExecution[]): readonly PollExecution['status'][] =>
  executions.map(({ status }) => status);

/** Records of submitted calls that are followed, or whose remote is still to be told to stop. */
export const entriesIn = ({ items }: SimulatedDeployment) => items.items().filter(({ sk }) => /^POLL#\d+#/.test(sk));
