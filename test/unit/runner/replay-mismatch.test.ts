import { defineAgent, defineEvent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';

interface Version {
  readonly args?: unknown;
  readonly reconciled?: boolean;
  readonly id?: string;
}

/** A program in several versions: one call, then an attempt that fails until `done`. */
function setup() {
  const state = { calls: 0, done: false };
  const version = ({ args, reconciled = false, id = 'lookup' }: Version) =>
    defineAgent({ name: 'shop', output: z.string() }).addAction('buy', EventType.InputEvent, async (_event, ctx) => {
      const call = () => {
        state.calls += 1;
        return `found ${state.calls}`;
      };
      const found = await ctx.durableExecute({
        id,
        call,
        ...(args === undefined ? {} : { args }),
        ...(reconciled ? { reconcile: (make: () => Promise<string>) => make() } : {}),
      });
      if (!state.done) throw new Error('not yet');
      ctx.sendEvent(OutputEvent(found));
    });
  const first = version({ args: { page: 1 } });
  const bench = new DriveBench([first]);
  const drive = async (agent: ReturnType<typeof version>) => {
    bench.clock.advanceBy(1_000);
    return bench.drive('r', [agent]);
  };
  return { state, version, first, bench, drive };
}

describe('a call that asks for something else than its record holds', () => {
  it('blocks the run and names both sides; nothing runs, nothing is overwritten, no attempt is burnt', async () => {
    const { state, version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    await drive(first);
    const before = await bench.run('r');
    const journal = bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'));
    const result = await drive(version({ args: { page: 2 } }));
    expect(result).toMatchObject({ kind: 'blocked', error: { name: 'ReplayMismatchError', code: 'REPLAY_MISMATCH' } });
    const message = result.kind === 'blocked' ? (result.error as Error).message : '';
    expect(message).toMatch(
      /^Durable call "lookup" \(slot lookup#0\) of action buy does not fit its record\. Recorded: arguments with digest (\S{22})\. Asked for: arguments with digest (?!\1)\S{22}\. Deploy code/,
    );
    const run = await bench.run('r');
    expect(run).toMatchObject({
      status: 'BLOCKED',
      attempts: before.attempts,
      error: expect.stringContaining('lookup'),
    });
    expect(run.owner).toBeUndefined();
    expect(bench.items.items().filter(({ sk }) => sk.startsWith('CALL#'))).toEqual(journal);
    expect(state.calls).toBe(1);
    expect(bench.received()).toEqual([]);
    expect(bench.traces.at(-1)).toMatchObject({
      entity_type: 'run',
      status: 'failed',
      problem_category: 'run_blocked',
    });
  });

  it('stays blocked when it is woken, and is due at the end of its age', async () => {
    const { version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    await drive(version({ args: 2 }));
    expect(await drive(first)).toEqual({ kind: 'dropped', why: 'the run is BLOCKED' });
    const { dueAt = 0, createdAt } = await bench.run('r');
    expect(dueAt - createdAt).toBe(30 * 86_400_000);
    bench.clock.advanceTo(dueAt);
    expect(await drive(first)).toEqual({ kind: 'ended', outcome: 'FAILED' });
    expect(bench.received()).toMatchObject([{ status: 'FAILED', error: { code: 'RUN_EXPIRED' } }]);
  });

  it('goes on after a roll-back and redrive', async () => {
    const { state, version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    await drive(version({ args: 2 }));
    state.done = true;
    await bench.accept({ redrive: { requestId: 'r' } });
    expect(bench.wakes.sent.at(-1)?.wake.reason).toBe('redrive');
    expect(await drive(first)).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
    expect(bench.received()).toMatchObject([{ output: 'found 1' }, { status: 'COMPLETED' }]);
    expect(state.calls).toBe(1);
  });

  it('blocks again when it is redriven without a fix', async () => {
    const { version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    for (let round = 0; round < 7; round += 1) {
      expect(await drive(version({ args: 2 }))).toMatchObject({ kind: 'blocked' });
      await bench.accept({ redrive: { requestId: 'r' } });
    }
    expect(await bench.run('r')).toMatchObject({ status: 'RUNNING', attempts: 0 });
  });

  it.each<[string, Version]>([
    ['names no arguments any more', {}],
    ['got a reconciler meanwhile', { args: { page: 1 }, reconciled: true }],
    ['is another one', { args: { page: 1 }, id: 'find' }],
  ])('does not block when the call %s', async (_what, changed) => {
    const { state, version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    state.done = true;
    expect(await drive(version(changed))).toMatchObject({ kind: 'ended', outcome: 'COMPLETED' });
    expect(state.calls).toBe(changed.id === undefined ? 1 : 2);
  });

  it('reports recorded calls that a finished action did not make', async () => {
    const { state, version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    state.done = true;
    await drive(version({ id: 'find' }));
    const finished = bench.traces.find(({ entity_type, status }) => entity_type === 'action' && status === 'success');
    expect(finished?.entity_metadata.unvisited_calls).toMatch(/^\S{22}#lookup#0$/);
  });

  it('blocks when an interrupted call lost its reconciler', async () => {
    const { version, bench, drive } = setup();
    const hangs = defineAgent({ name: 'shop', output: z.string() }).addAction(
      'buy',
      EventType.InputEvent,
      async (_event, ctx) => {
        await ctx.durableExecute({ id: 'lookup', call: () => new Promise(() => {}), reconcile: () => 'found' });
      },
    );
    await bench.begin('r', null);
    const dying = bench.process();
    void dying.drive('r', [hangs]);
    await settleMicrotasks();
    dying.freeze();
    bench.clock.advanceBy(60_000);
    const result = await drive(version({}));
    expect(result).toMatchObject({
      kind: 'blocked',
      error: { message: expect.stringContaining('Recorded: an interrupted call that announced itself') },
    });
  });

  it('lets a cancel end the blocked run', async () => {
    const { version, first, bench, drive } = setup();
    await bench.begin('r', null);
    await drive(first);
    await drive(version({ args: 2 }));
    await bench.accept({ cancel: { requestId: 'r' } });
    expect(await drive(version({ args: 2 }))).toEqual({ kind: 'ended', outcome: 'CANCELLED' });
  });
});

describe('an agent that sends other events than were recorded', () => {
  const left = defineEvent('left', z.object({}));
  const right = defineEvent('right', z.object({}));

  it('blocks the run when a finished action would begin at another place', async () => {
    const tree = defineAgent({ name: 'tree' })
      .addAction('early', EventType.InputEvent, (_event, ctx) => {
        ctx.sendEvent(left({}));
        ctx.sendEvent(right({}));
      })
      .addAction('leaf', left, () => {})
      .addAction('fails', right, () => {
        throw new Error('not yet');
      });
    const bench = new DriveBench([tree]);
    await bench.begin('r', null);
    await bench.drive('r');
    const leaf = bench.items.items().find(({ nm }) => nm === 'leaf') ?? { pk: '', sk: '' };
    expect(leaf).toMatchObject({ vw: 1 });
    // As if another action had finished before it.
    await bench.items.put({ ...leaf, vw: 2 });
    bench.clock.advanceBy(1_000);
    expect(await bench.drive('r')).toMatchObject({
      kind: 'blocked',
      error: {
        message: expect.stringMatching(
          /^Action early\/leaf began after 2 finished actions when it was recorded, and begins after \d now\./,
        ),
      },
    });
  });
});

it('blocks a run whose agent is gone, until it is back', async () => {
  const { state, first, bench } = setup();
  const other = defineAgent({ name: 'other' }).addAction('act', EventType.InputEvent, () => {});
  await bench.begin('r', null);
  expect(await bench.drive('r', [other])).toMatchObject({
    kind: 'blocked',
    error: { message: 'There is no agent "shop" in this deployment. Deploy it, then redrive the run.' },
  });
  expect(bench.traces.at(-1)).toMatchObject({ problem_category: 'run_blocked' });
  state.done = true;
  await bench.accept({ redrive: { requestId: 'r' } });
  expect(await bench.drive('r', [first])).toMatchObject({ outcome: 'COMPLETED' });
});
