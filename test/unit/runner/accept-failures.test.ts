import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { AcceptBench } from './support/accept-bench.ts';
import { failingPorts, type PortFailure } from './support/failing-ports.ts';

let calls = 0;
const echo = defineAgent({ name: 'echo' }).addAction('answer', EventType.InputEvent, async (event, ctx) => {
  if (event.input === 'fail' && calls === 0) {
    calls += 1;
    await ctx.durableExecute({ id: 'fail', call: () => Promise.reject(new Error('no')) });
  }
  ctx.sendEvent(OutputEvent(event.input));
});

interface Scene {
  readonly name: string;
  /** What happened before the message comes. */
  readonly before?: (bench: AcceptBench) => Promise<void>;
  readonly body: unknown;
  /** What the message comes to in the end. */
  readonly result: string;
  /** Final messages of the run, once everything is driven; none for a message that starts nothing. */
  readonly statuses: readonly string[];
}

const run = (more: object = {}) => ({ agent: 'echo', requestId: 'r', input: 'x', ...more });
const SCENES: readonly Scene[] = [
  { name: 'a run', body: run(), result: 'accepted', statuses: ['COMPLETED'] },
  {
    name: 'a run with a large input',
    body: run({ input: 'x'.repeat(100_000) }),
    result: 'accepted',
    statuses: ['COMPLETED'],
  },
  { name: 'a run that takes its key', body: run({ key: 'k' }), result: 'accepted', statuses: ['COMPLETED'] },
  {
    name: 'a run that is parked behind another',
    before: async (bench) => void (await bench.accept(run({ requestId: 'first', key: 'k' }))),
    body: run({ key: 'k' }),
    result: 'parked',
    statuses: ['COMPLETED'],
  },
  {
    name: 'a cancel of a run that waits',
    before: async (bench) => void (await bench.accept(run())),
    body: { cancel: { requestId: 'r' } },
    result: 'cancel-marked',
    statuses: ['CANCELLED'],
  },
  {
    name: 'a redrive of a failed run',
    before: async (bench) => {
      await bench.accept(run({ input: 'fail' }));
      await bench.driveAll();
    },
    body: { redrive: { requestId: 'r' } },
    result: 'redriven',
    statuses: ['FAILED', 'COMPLETED'],
  },
  {
    name: 'a redrive of a failed run with a key',
    before: async (bench) => {
      await bench.accept(run({ input: 'fail', key: 'k' }));
      await bench.driveAll();
    },
    body: { redrive: { requestId: 'r' } },
    result: 'redriven',
    statuses: ['FAILED', 'COMPLETED'],
  },
  { name: 'a message that is refused', body: 'hello', result: 'refused', statuses: [] },
];

async function stage(scene: Scene) {
  calls = 0;
  const bench = new AcceptBench([echo]);
  await scene.before?.(bench);
  return { bench, message: bench.message(scene.body) };
}

async function finalStatuses(bench: AcceptBench) {
  await bench.driveAll();
  return bench
    .received()
    .flatMap(({ requestId, status }) => (requestId === 'r' && status !== undefined ? [status] : []));
}

/** How often the ports are called for the scene without a failure. */
async function countCalls(scene: Scene): Promise<number> {
  const { bench, message } = await stage(scene);
  const watched = failingPorts(bench.ports, () => undefined);
  expect(await bench.deliver(message, watched.ports)).toMatchObject({ kind: scene.result });
  expect(await finalStatuses(bench)).toEqual(scene.statuses);
  return watched.calls.length;
}

describe.each(SCENES)('$name', (scene) => {
  it('calls the ports at most a dozen times', async () => {
    const count = await countCalls(scene);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(13);
  });

  it.each<PortFailure>(['before', 'after'])(
    'comes back when a port fails %s its effect; the next delivery finishes',
    async (when) => {
      const count = await countCalls(scene);
      for (let failing = 1; failing <= count; failing += 1) {
        const { bench, message } = await stage(scene);
        const broken = failingPorts(bench.ports, ({ number }) => (number === failing ? when : undefined));
        const first = await bench.acceptAll([message], broken.ports);
        const place = `${when} call ${failing} (${broken.calls[failing - 1]})`;
        expect(first.results, place).toEqual([]);
        expect(first.failures, place).toMatchObject([{ messageId: message.messageId, error: expect.any(Error) }]);
        const second = await bench.deliver(message);
        expect(['nothing-to-do', 'accepted', scene.result], place).toContain(second.kind);
        if (scene.result === 'refused')
          expect(bench.deadLetters.sent.at(-1), place).toMatchObject({ reason: 'NOT_JSON' });
        expect(await finalStatuses(bench), place).toEqual(scene.statuses);
      }
    },
  );

  it.each<PortFailure>(['before', 'after'])(
    'survives that a port fails %s its effect at every call, one delivery after the other',
    async (when) => {
      const { bench, message } = await stage(scene);
      let failing = 1;
      for (;;) {
        const broken = failingPorts(bench.ports, ({ number }) => (number === failing ? when : undefined));
        const { results } = await bench.acceptAll([message], broken.ports);
        if (results.length > 0) break;
        failing += 1;
      }
      expect(failing).toBeGreaterThan(1);
      expect(await finalStatuses(bench)).toEqual(scene.statuses);
    },
  );
});
