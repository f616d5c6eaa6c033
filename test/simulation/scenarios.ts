import type { Scenario, ScenarioRequest } from './engine/scenario.ts';
import type { FaultsLeft } from './engine/world.ts';
import { idle } from './programs.ts';

const KEY = 'key';

/** Requests of one key, in the order of one message group. */
export const requestsOf = (
  runIds: readonly string[],
  group: (runId: string) => string = () => 'group',
): readonly ScenarioRequest[] =>
  runIds.map((requestId) => ({ group: group(requestId), body: { agent: 'agent', key: KEY, requestId, input: 1 } }));

/** An operator cancels a run, at any time after it was recorded. */
export const cancelOf = (runId: string): ScenarioRequest => ({
  group: `cancel ${runId}`,
  body: { cancel: { requestId: runId } },
  when: (run) => run(runId) !== undefined,
});

/** An operator redrives a run once it has failed. */
export const redriveOf = (runId: string): ScenarioRequest => ({
  group: `redrive ${runId}`,
  body: { redrive: { requestId: runId } },
  // Also again after a crash in the middle of it.
  when: (run) => run(runId)?.status === 'FAILED' || (run(runId)?.redrives ?? 0) > 0,
});

export const faults = (some: Partial<FaultsLeft> = {}): FaultsLeft => ({
  crashes: 0,
  extraWakes: 0,
  sweeps: 0,
  clockSteps: 0,
  ...some,
});

/** Runs of one key that do nothing, named in the order of their requests. */
export function keyScenario(count: number, some: Partial<FaultsLeft>, more: Partial<Scenario> = {}): Scenario {
  const runIds = Array.from({ length: count }, (_, index) => `run-${index + 1}`);
  return {
    runIds,
    requests: requestsOf(runIds),
    agents: idle,
    maxProcesses: Number.POSITIVE_INFINITY,
    faults: faults(some),
    ...more,
  };
}
