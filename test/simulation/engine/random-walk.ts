import { Deployment } from './deployment.ts';
import { describeStep } from './describe-step.ts';
import { checkGrant } from './invariants.ts';
import { Liveness } from './liveness.ts';
import type { Scenario } from './scenario.ts';
import { seededRandom } from './seeded-random.ts';
import { possibleSteps, type Step, takeStep } from './steps.ts';
import { Violation } from './violation.ts';

export interface FoundViolation {
  readonly seed: number;
  readonly message: string;
  readonly trace: readonly string[];
}

export interface RandomWalks {
  readonly walks: number;
  readonly steps: number;
  readonly found: FoundViolation | undefined;
}

/** A fault is taken this much more rarely than any other step, so that it comes at any point of a walk. */
const FAULT_WEIGHT = 0.1;

/** One walk per seed, each from the start until nothing is left to be done. Stops at the first violation. */
export async function randomWalks(scenario: Scenario, seeds: Iterable<number>): Promise<RandomWalks> {
  const deployment = new Deployment(scenario, false);
  const liveness = new Liveness(deployment);
  const counts = { walks: 0, steps: 0 };
  for (const seed of seeds) {
    const steps: string[] = [];
    counts.walks += 1;
    try {
      await walk(deployment, liveness, seed, steps);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return { ...counts, steps: counts.steps + steps.length, found: { seed, message: error.message, trace: steps } };
    }
    counts.steps += steps.length;
  }
  return { ...counts, found: undefined };
}

async function walk(deployment: Deployment, liveness: Liveness, seed: number, trace: string[]): Promise<void> {
  const random = seededRandom(seed);
  let world = deployment.first();
  for (;;) {
    const steps = possibleSteps(deployment, world);
    if (steps.length === 0) return;
    const step = choose(steps, random);
    const taken = await takeStep(deployment, world, step);
    if (taken === undefined) continue;
    trace.push(describeStep(deployment, step));
    if (taken.grant) checkGrant(deployment, world, taken.world, taken.grant);
    world = taken.world;
    if (world.processes.length === 0) await liveness.check(world);
  }
}

function choose(steps: readonly Step[], random: () => number): Step {
  const weights = steps.map((step) => (isFault(step) ? FAULT_WEIGHT : 1));
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, step] of steps.entries()) {
    rest -= weights[index] ?? 0;
    if (rest < 0) return step;
  }
  throw new Error('There is nothing to choose from.');
}

const isFault = (step: Step): boolean =>
  step.kind === 'pass-time' || ('crash' in step && step.crash) || (step.kind === 'deliver' && step.extra);
