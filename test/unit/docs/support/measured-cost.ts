import { type AgentDefinition, defineAgent, EventType, OutputEvent, ResourceType } from 'lambda-agents';
import { scripted } from 'lambda-agents/testing';
import { CrashPlan } from '../../../../lib/testing/crashing-process.ts';
import { ScriptedService, withScripts } from '../../../../lib/testing/scripted.ts';
import { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';
import { Remote } from '../../subagents/support/remote.ts';

/** What a run did, as AWS counts it. */
export interface MeasuredCost {
  readonly writeUnits: number;
  readonly readUnits: number;
  /** Messages through a standard queue, through a FIFO queue. */
  readonly wakes: number;
  readonly messages: number;
  readonly transitions: number;
  readonly drives: number;
  readonly rounds: number;
}

const HOUR = 3_600_000;

const agentWith = (intervalMillis: number): AgentDefinition =>
  defineAgent({ name: 'asks' })
    .addResource('remote', ResourceType.AGENT, { clazz: Remote, statusPollIntervalMillis: intervalMillis })
    .addAction('ask', EventType.InputEvent, async (event, ctx) => {
      const { kind } = event.input as { readonly kind: string };
      if (kind === 'sleep') await ctx.sleep(HOUR);
      if (kind === 'signal') await ctx.waitForSignal('go');
      if (kind === 'job') await ctx.getResource('remote', ResourceType.AGENT).submit({ what: 'this' });
      ctx.sendEvent(OutputEvent('done'));
    });

/** Runs one request to its end and counts. @param probes how often a job is found running */
export async function measure(
  kind: 'nothing' | 'sleep' | 'signal' | 'job',
  { intervalMillis = 1_000, probes = 0 } = {},
): Promise<MeasuredCost> {
  const services = new Map([['remote', new ScriptedService('remote', scripted.completesAfter(probes, 'done'))]]);
  const agents = withScripts([agentWith(intervalMillis)], services);
  const deployment = new SimulatedDeployment({ agents, crashes: new CrashPlan([]) });
  deployment.send({ agent: 'asks', requestId: 'r', input: { kind } });
  if (kind === 'signal') deployment.send({ signal: { requestId: 'r', name: 'go' } }, 'other', HOUR);
  await deployment.settle(async () => {
    const [, end] = deployment.outputs.sent;
    return end !== undefined && deployment.isIdle && deployment.polls.open().length === 0;
  });
  const { writeUnits } = deployment.items.meter.total;
  const sweeps = deployment.items.meter.operation('queryDue').units;
  const [execution] = deployment.polls.executions;
  return {
    writeUnits,
    readUnits: deployment.items.meter.total.readUnits - sweeps,
    wakes: deployment.wakes.sent.length,
    messages: deployment.accepts.length + deployment.outputs.sent.length,
    transitions: execution?.transitions ?? 0,
    drives: deployment.drives.length,
    rounds: execution?.round.round ?? 0,
  };
}

/** Prices in USD, us-east-1: per million of each, but for compute, which is per GB-second. */
export const PRICES = {
  writeUnit: 0.625,
  readUnit: 0.125,
  transition: 25,
  invocation: 0.2,
  standardRequest: 0.4,
  fifoRequest: 0.5,
  gigabyteSecond: 0.0000166667,
} as const;

/** A message is sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

/** The price of a million such runs, in USD. @param compute seconds of a drive at 1 GB and of a round at 0.5 GB */
export function pricePerMillion(cost: MeasuredCost, compute = { drive: 0.1, round: 0.05 }): number {
  const invocations = cost.drives + cost.rounds + 1;
  const gigabyteSeconds = cost.drives * compute.drive + cost.rounds * compute.round * 0.5;
  return (
    cost.writeUnits * PRICES.writeUnit +
    cost.readUnits * PRICES.readUnit +
    cost.transitions * PRICES.transition +
    invocations * PRICES.invocation +
    cost.wakes * REQUESTS_PER_MESSAGE * PRICES.standardRequest +
    cost.messages * REQUESTS_PER_MESSAGE * PRICES.fifoRequest +
    gigabyteSeconds * PRICES.gigabyteSecond * 1_000_000
  );
}
