import { describe, expect, it } from 'vitest';
import { type Exploration, explore } from './engine/explore.ts';
import { randomWalks } from './engine/random-walk.ts';
import type { Scenario } from './engine/scenario.ts';
import { effect, mendedBeforeRedrive, tally } from './programs.ts';
import { cancelOf, keyScenario, redriveOf, requestsOf } from './scenarios.ts';

const FULL = process.env.SIMULATION === 'full';
const SEED = Number(process.env.SEED ?? 1);
/** Of what has more states than a run of the tests has minutes. */
const BOUND = FULL ? 3_000_000 : 10_000;
const WALKS = FULL ? 10_000 : 100;

const twoWithRedrive = (faults: Parameters<typeof keyScenario>[1]): Scenario =>
  keyScenario(2, faults, {
    agents: effect,
    remote: mendedBeforeRedrive('run-1'),
    requests: [...requestsOf(['run-1', 'run-2']), redriveOf('run-1')],
  });

const twoWithCancel = (faults: Parameters<typeof keyScenario>[1]): Scenario =>
  keyScenario(2, faults, { requests: [...requestsOf(['run-1', 'run-2']), cancelOf('run-1')] });

/** Tells how much was explored. */
function tell(name: string, { states, steps, ends, depth, exhausted }: Exploration): void {
  const extent = exhausted ? 'every reachable state' : `the first ${states} states`;
  console.log(`${name}: ${extent} (${states} states, ${steps} steps, ${ends} good ends, depth ${depth})`);
}

describe('every interleaving of store calls', () => {
  it.each([
    ['two runs of a key', keyScenario(2, {})],
    ['two runs of a key that keep memory', keyScenario(2, {}, { agents: tally })],
    ['two runs of a key, one crash', keyScenario(2, { crashes: 1 })],
    ['two runs of a key, one cancelled', twoWithCancel({})],
    ['two runs of a key, the first fails and is redriven', twoWithRedrive({})],
    ['three runs of a key', keyScenario(3, {})],
  ])('keeps the invariants, to the end at full size: %s', async (name, scenario) => {
    const found = await explore(scenario, FULL ? Number.POSITIVE_INFINITY : BOUND);
    tell(name, found);
    expect(found.violation).toBeUndefined();
    expect(found.exhausted || (!FULL && found.states === BOUND)).toBe(true);
  });

  it.each([
    ['two runs of a key, one crash, wakes lost', keyScenario(2, { crashes: 1, sweeps: 1 })],
    ['two runs of a key, one zombie', keyScenario(2, { clockSteps: 1 })],
  ])('keeps the invariants, as far as it comes: %s', async (name, scenario) => {
    const found = await explore(scenario, BOUND);
    tell(name, found);
    expect(found.violation).toBeUndefined();
    expect(found.states).toBe(BOUND);
  });
});

describe('random walks', () => {
  it.each([
    [
      'three runs of a key, crashes, zombies, doubled and lost wakes',
      keyScenario(3, { crashes: 2, extraWakes: 1, sweeps: 2, clockSteps: 1 }),
    ],
    ['two runs, one redriven, a crash', twoWithRedrive({ crashes: 1, sweeps: 1 })],
    ['two runs, one cancelled, a crash', twoWithCancel({ crashes: 1, sweeps: 1 })],
  ])(`keep the invariants: %s (SEED=${SEED} is the first of ${WALKS})`, async (name, scenario) => {
    const seeds = Array.from({ length: WALKS }, (_, index) => SEED + index);
    const { walks, steps, found } = await randomWalks(scenario, seeds);
    console.log(`${name}: ${walks} walks, ${steps} steps`);
    expect(found).toBeUndefined();
    expect(steps).toBeGreaterThan(WALKS * 10);
  });
});
