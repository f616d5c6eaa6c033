import type { Deployment } from './deployment.ts';
import { badEnd } from './good-end.ts';
import { possibleSteps, takeStep } from './steps.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Rounds of the sweeper within which every run must end once nothing goes wrong any more. */
const MAX_ROUNDS = 8;
/** Far more steps than everything that is under way takes to its end, one after the other. */
const MAX_STEPS = 10_000;

/** Checks states in which nothing is under way. */
export class Liveness {
  private readonly deployment: Deployment;
  private readonly good = new Set<string>();

  constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  /**
   * Without any fault so far every run has ended by itself, unless messages are still to come. In any case every run ends when wakes are lost
   * once more and nothing goes wrong from then on. @throws Violation
   */
  async check(world: World): Promise<{ readonly isEnd: boolean }> {
    const { deployment } = this;
    const isIdle = world.wakes.every((count) => count === 0) && deliveries(deployment, world).length === 0;
    const bad = badEnd(deployment, world);
    if (isIdle && bad !== undefined && isFaultless(deployment, world)) throw new Violation(bad);
    if (bad !== undefined) await this.checkRecovery(world);
    return { isEnd: isIdle && bad === undefined };
  }

  private async checkRecovery(world: World): Promise<void> {
    const name = JSON.stringify([world.items, world.requests, world.sent, world.now]);
    if (this.good.has(name)) return;
    const { deployment } = this;
    let at = world;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const due = await deployment.sweep(at);
      at = { ...at, left: NO_FAULTS, wakes: at.wakes.map((_, run) => (due.includes(run) ? 1 : 0)) };
      at = await runToQuiet(deployment, at);
      if (badEnd(deployment, at) === undefined) {
        this.good.add(name);
        return;
      }
    }
    throw new Violation(`the sweeper does not help: ${badEnd(deployment, at)}`);
  }
}

const NO_FAULTS = { crashes: 0, extraWakes: 0, sweeps: 0, clockSteps: 0 };

const isFaultless = ({ scenario: { faults } }: Deployment, { left }: World): boolean =>
  left.crashes === faults.crashes && left.sweeps === faults.sweeps && left.clockSteps === faults.clockSteps;

const deliveries = (deployment: Deployment, world: World) =>
  possibleSteps(deployment, world).filter((step) => step.kind === 'deliver' && !step.extra);

/** One step after the other, always the first that is possible. */
async function runToQuiet(deployment: Deployment, from: World): Promise<World> {
  let world = from;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const [step] = possibleSteps(deployment, world).filter(
      ({ kind }) => world.processes.length === 0 || kind !== 'deliver',
    );
    if (step === undefined) return world;
    const result = await takeStep(deployment, world, step);
    if (result === undefined) throw new Error('A step without a fault was no step.');
    world = result.world;
  }
  throw new Violation('a function goes on for ever');
}
