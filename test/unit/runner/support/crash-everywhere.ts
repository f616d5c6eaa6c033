import type { AgentDefinition, ConfigInput } from 'lambda-agents';
import { isFinal } from '../../../../lib/store/run-record.ts';
import { CrashPlan, type CrashPoint } from '../../../../lib/testing/crashing-process.ts';
import { EffectLog } from '../../../../lib/testing/effect-log.ts';
import { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';

/** Messages that a deployment gets, and what its runs come to. */
export interface Scenario {
  readonly agents: readonly AgentDefinition[];
  readonly config?: ConfigInput;
  readonly prepare?: () => void;
  readonly messages: readonly { readonly body: object; readonly afterMillis?: number }[];
  /** Runs that are all final in the end. */
  readonly runIds: readonly string[];
  /** When there is more to wait for than that. */
  readonly isOver?: (deployment: SimulatedDeployment) => Promise<boolean>;
}

/** What receivers got of the runs, without repeats, and how they stand. */
export async function outcomeOf(deployment: SimulatedDeployment, runIds: readonly string[]) {
  const bodies = deployment.outputs.delivered.map(({ body }) => JSON.parse(body) as { eventId?: string });
  const messages = new Map(bodies.map((body) => [body.eventId ?? JSON.stringify(body), body]));
  const told = Array.from(messages.values(), ({ eventId: _, ...message }) => message);
  const statuses = await Promise.all(runIds.map(async (runId) => (await deployment.run(runId))?.status));
  const memory = deployment.items.items().flatMap(({ sk, val }) => (sk.startsWith('MEM#') ? [[sk, val]] : []));
  return { told, statuses, memory };
}

export async function play(scenario: Scenario, points: readonly CrashPoint[]) {
  scenario.prepare?.();
  const effects = new EffectLog();
  const crashes = new CrashPlan(points);
  const { config = {}, agents, messages, runIds } = scenario;
  const deployment = new SimulatedDeployment({ agents: effects.watch(agents), config, crashes });
  messages.forEach(({ body, afterMillis = 0 }, place) => {
    deployment.send(body, afterMillis === 0 ? 'group' : `group-${place}`, afterMillis);
  });
  const isOver = scenario.isOver ?? ((now) => allFinal(now, runIds));
  await deployment.settle(() => isOver(deployment));
  return { deployment, calls: crashes.calls, violations: effects.violations() };
}

export async function allFinal(deployment: SimulatedDeployment, runIds: readonly string[]): Promise<boolean> {
  const runs = await Promise.all(runIds.map((runId) => deployment.run(runId)));
  return runs.every((run) => run !== undefined && isFinal(run.status));
}

/** Plays the scenario again and again, each time stopping its process at another port call. */
export async function crashEverywhere(scenario: Scenario) {
  const calm = await play(scenario, []);
  const outcome = await outcomeOf(calm.deployment, scenario.runIds);
  for (let call = 1; call <= calm.calls.length; call += 1) {
    for (const when of ['before', 'after'] as const) {
      const { deployment, violations } = await play(scenario, [{ call, when }]);
      const crashed = JSON.stringify(await outcomeOf(deployment, scenario.runIds));
      const place = `A crash ${when} port call ${call} (${calm.calls[call - 1]})`;
      if (crashed !== JSON.stringify(outcome))
        throw new Error(`${place} changed the outcome.\nwithout: ${JSON.stringify(outcome)}\nwith:    ${crashed}`);
      // A redrive repeats what failed, also without a crash.
      const repeated = violations.filter((violation) => !calm.violations.includes(violation));
      if (repeated.length > 0) throw new Error(`${place} repeated an effect: ${repeated.join('; ')}`);
    }
  }
  return { ...outcome, crashes: calm.calls.length * 2, deployment: calm.deployment };
}
