import type { ConfigInput } from '../agent/config.ts';
import type { AgentDefinition } from '../agent/define-agent.ts';
import type { Item } from '../ports/item-store.ts';
import { MEMORY_PREFIX } from '../store/keys.ts';
import type { RunRecord, RunStatus } from '../store/run-record.ts';
import { isFinal } from '../store/run-record.ts';
import { decodeThrown } from '../values/error-codec.ts';
import { CrashPlan, type CrashPoint } from './crashing-process.ts';
import { EffectLog } from './effect-log.ts';
import { ScriptedService, type SubagentScript, withScripts } from './scripted.ts';
import { SimulatedDeployment } from './simulated-deployment.ts';

export { scripted } from './scripted.ts';

export interface TestRuntimeOptions {
  /** Deployment defaults. */
  readonly config?: ConfigInput;
  /** Time of one invocation in milliseconds. @default 300,000 */
  readonly driveTimeoutMillis?: number;
  /** How sub-agents answer, by their names. @default as their setup classes do */
  readonly subagents?: Readonly<Record<string, SubagentScript>>;
}

export interface TestRequest {
  readonly key?: string;
  readonly requestId?: string;
  /** Signals that are sent to the run. @default none */
  readonly signals?: readonly TestSignal[];
}

export interface TestSignal {
  readonly name: string;
  readonly value?: unknown;
  /** Time after the request, in milliseconds; it is skipped. @default 0 */
  readonly afterMillis?: number;
}

export interface TestResult {
  readonly runId: string;
  /** `REFUSED`: the request could not be accepted; `error` says why. */
  readonly status: RunStatus | 'REFUSED';
  readonly outputs: readonly unknown[];
  readonly error?: unknown;
}

export interface CrashReport {
  /** Port calls of the run without a crash. */
  readonly portCalls: number;
  /** Runs with one crash that had the same outcome. */
  readonly crashes: number;
  /** Runs with two crashes that had the same outcome. */
  readonly pairs: number;
}

export interface CrashRequest extends TestRequest {
  /** Called before each run, to reset what the agents' calls act upon. */
  readonly prepare?: () => void;
  /** Also stops at each two port calls of a run; takes a run for every pair. @default false */
  readonly pairs?: boolean;
}

/** Agents in memory: no sleeping, no network; what the agents themselves call is up to the test. */
export interface TestRuntime {
  /** Sends a request and waits until its run is final or BLOCKED, or SUSPENDED until somebody else does something. Time is skipped. */
  run(agent: string, input: unknown, request?: TestRequest): Promise<TestResult>;
  /**
   * Runs the request once, then again and again in fresh deployments, each time stopping the process at another port call, before it
   * and after its effect.
   * @throws Error naming the crash point when status, outputs, error or the key's memory differ, or an effect happens more often than it may
   */
  survivesEveryCrash(agent: string, input: unknown, request?: CrashRequest): Promise<CrashReport>;
  /** What the runs of `run` share: their clock, store and queues. */
  readonly deployment: SimulatedDeployment;
  /** The scripted services that `run` meets, by name. */
  readonly services: ReadonlyMap<string, ScriptedService>;
}

/** @throws AgentError when a plan is not valid */
export function testRuntime(agents: readonly AgentDefinition[], options: TestRuntimeOptions = {}): TestRuntime {
  const services = startServices(options);
  const scriptedAgents = withScripts(agents, services);
  const deployment = new SimulatedDeployment({ ...options, agents: scriptedAgents, crashes: new CrashPlan([]) });
  return {
    deployment,
    services,
    run: (agent, input, request = {}) => runIn(deployment, agent, input, request),
    survivesEveryCrash: (agent, input, request = {}) => surviveAll(agents, options, agent, input, request),
  };
}

/** Fresh ones: what an earlier run has told them is forgotten. */
const startServices = ({ subagents = {} }: TestRuntimeOptions): ReadonlyMap<string, ScriptedService> =>
  new Map(Object.entries(subagents).map(([name, script]) => [name, new ScriptedService(name, script)]));

async function runIn(
  deployment: SimulatedDeployment,
  agent: string,
  input: unknown,
  request: TestRequest,
): Promise<TestResult> {
  const { signals = [], ...identity } = request;
  const messageId = deployment.send({ agent, input, ...identity });
  const runId = request.requestId ?? messageId;
  for (const [place, { afterMillis = 0, ...signal }] of signals.entries()) {
    // In the request's group, so that an early signal does not overtake its request.
    const groupId = afterMillis === 0 ? undefined : `signal-${place}`;
    deployment.send({ signal: { requestId: runId, ...signal } }, groupId, afterMillis);
  }
  const refused = () => deployment.deadLetters.sent.find((message) => message.messageId === messageId);
  await deployment.settle(async () => {
    const run = await deployment.run(runId);
    return refused() !== undefined || (run !== undefined && isAtRest(deployment, run));
  });
  const refusal = refused();
  if (refusal) return { runId, status: 'REFUSED', outputs: [], error: `${refusal.reason}: ${refusal.detail}` };
  const run = await deployment.run(runId);
  const outputs = deployment.outputs.delivered
    .map(
      ({ body }) =>
        JSON.parse(body) as { readonly requestId: string; readonly eventId?: string; readonly output?: unknown },
    )
    .filter((message) => message.requestId === runId && message.eventId !== undefined);
  const error = run?.status === 'COMPLETED' || run?.error === undefined ? {} : { error: decodeThrown(run.error) };
  return { runId, status: run?.status ?? 'FAILED', outputs: uniqueOutputs(outputs), ...error };
}

/** Whether a run does nothing any more by itself. */
function isAtRest(deployment: SimulatedDeployment, run: RunRecord): boolean {
  if (isFinal(run.status) || run.status === 'BLOCKED') return true;
  return run.status === 'SUSPENDED' && deployment.isIdle && (run.dueAt ?? 0) >= deployment.endOfAge(run);
}

/** Beyond five minutes the queue delivers a repeat; its event id tells. */
function uniqueOutputs(
  messages: readonly { readonly eventId?: string; readonly output?: unknown }[],
): readonly unknown[] {
  return [...new Map(messages.map(({ eventId, output }) => [eventId, output])).values()];
}

async function surviveAll(
  agents: readonly AgentDefinition[],
  options: TestRuntimeOptions,
  agent: string,
  input: unknown,
  request: CrashRequest,
): Promise<CrashReport> {
  const { prepare, pairs = false, ...identity } = request;
  const attempt = async (points: readonly CrashPoint[]) => {
    prepare?.();
    const crashes = new CrashPlan(points);
    const effects = new EffectLog();
    const services = startServices(options);
    const watched = effects.watch(withScripts(agents, services));
    const deployment = new SimulatedDeployment({ ...options, agents: watched, crashes });
    const { runId: _, ...outcome } = await runIn(deployment, agent, input, identity);
    return {
      outcome: comparable(outcome, deployment.items.items()),
      calls: crashes.calls,
      violations: [...effects.violations(), ...[...services.values()].flatMap((service) => service.violations())],
    };
  };
  const calm = await attempt([]);
  if (calm.violations.length > 0)
    throw new Error(`Agent "${agent}" repeats an effect without any crash: ${calm.violations.join('; ')}`);
  const crash = async (points: readonly CrashPoint[], calls: readonly string[]) => {
    const crashed = await attempt(points);
    const places = points.map(({ call, when }) => `${when} port call ${call} (${calls[call - 1]})`).join(' and ');
    const what = `A crash ${places} of agent "${agent}"`;
    if (crashed.outcome !== calm.outcome)
      throw new Error(`${what} changed the outcome.\nwithout: ${calm.outcome}\nwith:    ${crashed.outcome}`);
    if (crashed.violations.length > 0) throw new Error(`${what} repeated an effect: ${crashed.violations.join('; ')}`);
    return crashed.calls;
  };
  let pairCount = 0;
  for (const first of pointsOf(1, calm.calls.length)) {
    const calls = await crash([first], calm.calls);
    // The second crash strikes what came after the first one, so it is taken from that run's calls.
    for (const second of pairs ? pointsOf(first.call + 1, calls.length) : []) {
      await crash([first, second], calls);
      pairCount += 1;
    }
  }
  return { portCalls: calm.calls.length, crashes: calm.calls.length * 2, pairs: pairCount };
}

const pointsOf = (from: number, to: number): readonly CrashPoint[] =>
  Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => from + index).flatMap((call) => [
    { call, when: 'before' as const },
    { call, when: 'after' as const },
  ]);

const comparable = (outcome: Omit<TestResult, 'runId'>, items: readonly Item[]): string =>
  JSON.stringify({
    ...outcome,
    error: outcome.error instanceof Error ? `${outcome.error.name}: ${outcome.error.message}` : outcome.error,
    memory: items.filter(({ sk }) => sk.startsWith(MEMORY_PREFIX)).map(({ sk, val }) => [sk, val]),
  });
