import { Deployment } from './deployment.ts';
import { describeStep } from './describe-step.ts';
import { checkGrant } from './invariants.ts';
import { Liveness } from './liveness.ts';
import type { Scenario } from './scenario.ts';
import { StateSet } from './state-set.ts';
import { possibleSteps, type Step, type StepResult, takeStep } from './steps.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

export interface Exploration {
  /** Reachable states that were visited; every one when `exhausted`. */
  readonly states: number;
  readonly steps: number;
  /** Good ends that were reached. */
  readonly ends: number;
  /** Longest way from the start. */
  readonly depth: number;
  /** Segments of the real functions, each from one answer to the next port calls, that were executed. */
  readonly executions: number;
  readonly exhausted: boolean;
  readonly violation: { readonly message: string; readonly trace: readonly string[] } | undefined;
}

interface Frame {
  readonly world: World;
  readonly steps: readonly Step[];
  next: number;
}

/**
 * Visits every reachable state, depth first. Stops at the first violation, or when `maxStates` are visited.
 * @param merging states in which the processes remember the same are one
 */
export async function explore(
  scenario: Scenario,
  maxStates = Number.POSITIVE_INFINITY,
  merging = true,
): Promise<Exploration> {
  const deployment = new Deployment(scenario, merging);
  const liveness = new Liveness(deployment);
  const visited = new StateSet();
  const path: Frame[] = [];
  const counts = { steps: 0, ends: 0, depth: 0 };
  const visit = (world: World): boolean => {
    if (!visited.add(world)) return false;
    path.push({ world, steps: possibleSteps(deployment, world), next: 0 });
    counts.depth = Math.max(counts.depth, path.length);
    return true;
  };
  const report = (violation?: Violation): Exploration => ({
    ...counts,
    states: visited.size,
    executions: deployment.processes.executions,
    exhausted: path.length === 0,
    violation: violation && { message: violation.message, trace: traceOf(deployment, path) },
  });
  try {
    visit(deployment.first());
    for (let frame = path.at(-1); frame && visited.size < maxStates; frame = path.at(-1)) {
      const step = frame.steps[frame.next];
      if (step === undefined) {
        path.pop();
        continue;
      }
      frame.next += 1;
      const taken = takeStep(deployment, frame.world, step);
      const result = taken instanceof Promise ? await taken : taken;
      if (result === undefined) continue;
      counts.steps += 1;
      check(deployment, frame.world, result);
      if (visit(result.world) && result.world.processes.length === 0 && (await liveness.check(result.world)).isEnd)
        counts.ends += 1;
    }
    return report();
  } catch (error) {
    if (error instanceof Violation) return report(error);
    throw error;
  }
}

export function check(deployment: Deployment, before: World, { world, grant }: StepResult): void {
  if (grant) checkGrant(deployment, before, world, grant);
}

const traceOf = (deployment: Deployment, path: readonly Frame[]): readonly string[] =>
  path.flatMap(({ steps, next }) => {
    const step = steps[next - 1];
    return step ? [describeStep(deployment, step)] : [];
  });
