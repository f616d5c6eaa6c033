import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrashPlan, type CrashPoint } from '../../../lib/testing/crashing-process.ts';
import { EffectLog } from '../../../lib/testing/effect-log.ts';
import { SimulatedDeployment } from '../../../lib/testing/simulated-deployment.ts';
import { expectedOf } from './support/program-oracle.ts';
import { agentOf, chains, type Program, SIGNAL, trees, waitingChains, waitingTrees } from './support/programs.ts';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';

const RUNS = ['r1', 'r2', 'r3'];
/** Later than any recovery from the crashes that keep a request from being accepted. */
const LATE_MILLIS = 4 * 3_600_000;

const crashPoints = (upTo: number): fc.Arbitrary<readonly CrashPoint[]> =>
  fc.uniqueArray(
    fc.record({ call: fc.integer({ min: 1, max: upTo }), when: fc.constantFrom('before' as const, 'after' as const) }),
    {
      maxLength: 4,
      selector: ({ call }) => call,
    },
  );

/** Three runs of a program, of one key or of none, with processes that stop at the given points. */
async function runProgram(program: Program, key: string | undefined, points: readonly CrashPoint[], config = {}) {
  const effects = new EffectLog();
  const crashes = new CrashPlan(points);
  const deployment = new SimulatedDeployment({
    agents: effects.watch([agentOf(program)]),
    crashes,
    // A stumble, the crashes and the kills of neighbours may add up.
    config: { 'run.max-attempts': 50, ...config },
  });
  for (const [index, requestId] of RUNS.entries())
    deployment.send({ agent: 'program', requestId, input: index + 1, ...(key === undefined ? {} : { key }) });
  for (const requestId of RUNS) sendSignals(deployment, program, requestId);
  const isFinal = async (runId: string) => (await deployment.run(runId))?.status === 'COMPLETED';
  await deployment.settle(async () => (await Promise.all(RUNS.map(isFinal))).every(Boolean));
  return { deployment, violations: effects.violations(), calls: crashes.calls.length };
}

/** One signal for each wait, some early and some late. */
function sendSignals(deployment: SimulatedDeployment, program: Program, requestId: string): void {
  const { starts } = expectedOf(program, { runId: requestId, input: 1, shortTerm: new Map() });
  const waits = starts.flatMap(({ index }) => (program[index] ?? []).filter(({ kind }) => kind === 'signal'));
  for (let number = 0; number < waits.length; number += 1) {
    const afterMillis = number % 3 === 0 ? 0 : number * LATE_MILLIS;
    const groupId = afterMillis === 0 ? undefined : `${requestId} ${number}`;
    deployment.send({ signal: { requestId, ...SIGNAL } }, groupId, afterMillis);
  }
}

function observedOf(deployment: SimulatedDeployment, runId: string) {
  const messages = deployment.outputs.delivered
    .map(({ body }) => JSON.parse(body) as { requestId: string; eventId?: string; output: number })
    .filter((message) => message.requestId === runId && message.eventId !== undefined);
  const traces = deployment.traces.filter((trace) => trace.run_id === runId);
  const lastDrive = traces.slice(
    traces.findLastIndex(({ entity_type, status }) => entity_type === 'run' && status === 'started'),
  );
  const finishes = lastDrive.filter(
    ({ entity_type, status }) => entity_type === 'action' && (status === 'success' || status === 'reused'),
  );
  const records = deployment.items
    .items()
    .filter(({ pk, sk }) => pk === `RUN#${runId}` && sk.startsWith('ACTION#'))
    .sort((a, b) => Number(a.or) - Number(b.or));
  return {
    outputs: [...new Map(messages.map(({ eventId, output }) => [eventId, output])).values()],
    finishes: finishes.map(({ execution_id }) => execution_id),
    starts: records.map(({ ai, vw }) => ({ id: ai, view: vw })),
  };
}

const memoryOf = (deployment: SimulatedDeployment): ReadonlyMap<string, number> =>
  new Map(
    deployment.items
      .items()
      .filter(({ sk, val }) => sk.startsWith('MEM#') && val !== undefined)
      .map(({ sk, val }) => [sk.slice('MEM#'.length), Number(val)]),
  );

/** Compares each run with the oracle, whose key memory goes on from run to run. */
async function check(
  program: Program,
  key: string | undefined,
  points: readonly CrashPoint[],
  orderFromRun: boolean,
  config = {},
) {
  const { deployment, violations } = await runProgram(program, key, points, config);
  expect(violations).toEqual([]);
  let shortTerm: ReadonlyMap<string, number> = new Map();
  for (const [index, runId] of RUNS.entries()) {
    const observed = observedOf(deployment, runId);
    const run = { runId, input: index + 1, shortTerm: key === undefined ? new Map() : shortTerm };
    const expected = expectedOf(program, run, orderFromRun ? observed.finishes : undefined);
    expect(observed.outputs).toEqual(expected.outputs);
    expect(observed.starts).toEqual(expected.starts.map(({ id, view }) => ({ id, view })));
    shortTerm = expected.shortTerm;
  }
  expect(memoryOf(deployment)).toEqual(key === undefined ? new Map() : shortTerm);
}

describe('random programs, stopped at random points, do what a plain interpreter does', () => {
  const keys = fc.constantFrom(undefined, 'k');

  it('when their actions follow each other', { timeout: 120_000 }, async () => {
    const unhandled = collectUnhandledRejections();
    await fc.assert(
      fc.asyncProperty(chains, keys, crashPoints(120), (program, key, points) => check(program, key, points, false)),
      { numRuns: 150 },
    );
    expect(unhandled()).toEqual([]);
  });

  it('when several are under way at once, in the order in which they finished', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(trees, keys, crashPoints(200), (program, key, points) => check(program, key, points, true)),
      { numRuns: 150 },
    );
  });
});

describe('random programs that wait do so too', () => {
  const keys = fc.constantFrom(undefined, 'k');
  const configs = fc.constantFrom({}, { 'run.stay-millis': 0 });

  it('when their actions follow each other', { timeout: 300_000 }, async () => {
    const unhandled = collectUnhandledRejections();
    await fc.assert(
      fc.asyncProperty(waitingChains, keys, crashPoints(160), configs, (program, key, points, config) =>
        check(program, key, points, false, config),
      ),
      { numRuns: 100 },
    );
    expect(unhandled()).toEqual([]);
  });

  it('when several are under way at once', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(waitingTrees, keys, crashPoints(250), configs, (program, key, points, config) =>
        check(program, key, points, true, config),
      ),
      { numRuns: 100 },
    );
  });
});

describe('two actions that write and read the same memory', () => {
  const bothWrite: Program = [
    [
      { kind: 'set', memory: 'shortTerm', field: 'x' },
      { kind: 'send', to: 1 },
      { kind: 'send', to: 1 },
    ],
    [
      { kind: 'get', memory: 'shortTerm', field: 'x' },
      { kind: 'call', id: 'a', announced: true },
      { kind: 'set', memory: 'shortTerm', field: 'x' },
      { kind: 'call', id: 'b', announced: false },
      { kind: 'get', memory: 'shortTerm', field: 'x' },
      { kind: 'output' },
    ],
  ];
  /** The quick one finishes while the slow one waits: what it wrote is not for the slow one, but for the last one. */
  const quickAndSlow: Program = [
    [
      { kind: 'send', to: 1 },
      { kind: 'send', to: 2 },
    ],
    [
      { kind: 'set', memory: 'shortTerm', field: 'x' },
      { kind: 'set', memory: 'sensory', field: 'y' },
    ],
    [
      { kind: 'calls', ids: ['a', 'b'] },
      { kind: 'call', id: 'c', announced: false },
      { kind: 'call', id: 'c', announced: true },
      { kind: 'get', memory: 'shortTerm', field: 'x' },
      { kind: 'get', memory: 'sensory', field: 'y' },
      { kind: 'output' },
      { kind: 'send', to: 3 },
    ],
    [
      { kind: 'get', memory: 'shortTerm', field: 'x' },
      { kind: 'get', memory: 'sensory', field: 'y' },
      { kind: 'output' },
    ],
  ];

  it.each([
    ['both write', bothWrite],
    ['a quick one writes while a slow one waits', quickAndSlow],
  ])(
    'agree with the plain interpreter across a stop at every point: %s',
    { timeout: 60_000 },
    async (_what, program) => {
      const { calls } = await runProgram(program, 'k', []);
      for (let call = 1; call <= calls; call += 1)
        for (const when of ['before', 'after'] as const) await check(program, 'k', [{ call, when }], true);
      expect(calls).toBeGreaterThan(60);
    },
  );
});
