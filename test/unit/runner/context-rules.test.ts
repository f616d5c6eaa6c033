import { defineAgent, defineEvent, EventType, OutputEvent, type RunnerContext } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DriveBench, settleMicrotasks } from './support/drive-bench.ts';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';

const note = defineEvent('note', z.object({}));

const agentOf = (act: (ctx: RunnerContext) => void | Promise<void>) =>
  defineAgent({ name: 'ruled' }).addAction('act', EventType.InputEvent, (_event, ctx) => act(ctx));

const outside = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return 'allowed';
  } catch (error) {
    return error;
  }
};

describe('inside a durable call', () => {
  const forbidden: readonly (readonly [string, (ctx: RunnerContext) => unknown])[] = [
    ['sendEvent', (ctx) => ctx.sendEvent(note({}))],
    ['durableExecute', (ctx) => ctx.durableExecute({ id: 'inner', call: () => 1 })],
    ['memory.get', (ctx) => ctx.sensoryMemory.get('a')],
    ['memory.has', (ctx) => ctx.shortTermMemory.has('a')],
    ['memory.set', (ctx) => ctx.shortTermMemory.set('a', 1)],
  ];

  it.each(forbidden)('%s is refused, in the call and in its reconciler', async (method, use) => {
    const seen: unknown[] = [];
    const agent = agentOf(async (ctx) => {
      seen.push(await outside(() => ctx.durableExecute({ id: 'outer', call: () => use(ctx) })));
      seen.push(
        await outside(() => ctx.durableExecute({ id: 'later', call: () => Promise.resolve().then(() => use(ctx)) })),
      );
    });
    const runtime = testRuntime([agent]);
    expect(await runtime.run('ruled', null)).toMatchObject({ status: 'COMPLETED' });
    for (const [index, id] of ['outer', 'later'].entries()) {
      expect(seen[index]).toMatchObject({
        code: 'CALL_OUTSIDE_ACTION',
        message: `${method} was used inside durable call "${id}". Return a value from the call and use ${method} in the action.`,
      });
    }
    const actions = runtime.deployment.items.items().filter(({ sk }) => sk.startsWith('ACTION#'));
    expect(actions).toMatchObject([{ val: '{}' }]);
  });

  it('what needs no record is allowed', async () => {
    const agent = agentOf(async (ctx) => {
      await ctx.durableExecute({
        id: 'look',
        call: () => [
          ctx.runId,
          ctx.key,
          ctx.agentName,
          ctx.actionName,
          ctx.config['run.max-hops'],
          ctx.hasResource('a', 'prompt'),
        ],
      });
    });
    expect(await testRuntime([agent]).run('ruled', null)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a durable call that nobody waits for', () => {
  it('fails the action and is named', async () => {
    const agent = agentOf(async (ctx) => {
      void ctx.durableExecute({ id: 'lost', call: () => 1 });
      await ctx.durableExecute({ id: 'kept', call: () => 2 });
      void ctx.durableExecute({ id: 'lost too', call: () => new Promise(() => {}) });
    });
    expect(await testRuntime([agent]).run('ruled', null)).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'UNAWAITED_CALL',
        message: `Action "act" ended without waiting for durable call "lost", "lost too". Await each durable call; a sub-agent's may be cancelled instead.`,
      },
    });
  });

  it('that fails does not stop the process', async () => {
    const unhandled = collectUnhandledRejections();
    const agent = agentOf(async (ctx) => {
      void ctx.durableExecute({ id: 'lost', call: () => Promise.reject(new Error('no')) });
      await ctx.durableExecute({ id: 'kept', call: async () => void (await settleMicrotasks()) });
    });
    expect(await testRuntime([agent]).run('ruled', null)).toMatchObject({ error: { code: 'UNAWAITED_CALL' } });
    expect(unhandled()).toEqual([]);
  });

  it('may fail before it is awaited', async () => {
    const unhandled = collectUnhandledRejections();
    const agent = agentOf(async (ctx) => {
      const early = ctx.durableExecute({ id: 'early', call: () => Promise.reject(new Error('early')) });
      await ctx.durableExecute({ id: 'slow', call: async () => void (await settleMicrotasks()) });
      await settleMicrotasks();
      await expect(early).rejects.toThrow('early');
    });
    expect(await testRuntime([agent]).run('ruled', null)).toMatchObject({ status: 'COMPLETED' });
    expect(unhandled()).toEqual([]);
  });

  it('because a race is over is given up when the action ends, without harm', async () => {
    const unhandled = collectUnhandledRejections();
    let aborted = false;
    const agent = agentOf(async (ctx) => {
      await Promise.race([
        ctx.durableExecute({ id: 'quick', call: () => 1 }),
        ctx.durableExecute({
          id: 'fails',
          call: async () => {
            await settleMicrotasks();
            throw new Error('late');
          },
        }),
        ctx.durableExecute({
          id: 'endless',
          call: (signal) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                aborted = true;
                reject(new Error('aborted'));
              });
            }),
        }),
      ]);
    });
    const runtime = testRuntime([agent]);
    expect(await runtime.run('ruled', null)).toMatchObject({ status: 'COMPLETED' });
    await settleMicrotasks();
    expect(aborted).toBe(true);
    const calls = runtime.deployment.items.items().filter(({ sk }) => sk.startsWith('CALL#'));
    expect(calls).toHaveLength(1);
    expect(unhandled()).toEqual([]);
  });
});

describe('a context after the end of its action', () => {
  it.each<[string, (ctx: RunnerContext) => unknown]>([
    ['sendEvent', (ctx) => ctx.sendEvent(note({}))],
    ['durableExecute', (ctx) => ctx.durableExecute({ id: 'late', call: () => 1 })],
    ['memory.get', (ctx) => ctx.sensoryMemory.get('a')],
    ['memory.set', (ctx) => ctx.shortTermMemory.set('a', 1)],
  ])('refuses %s while the run goes on', async (_method, use) => {
    let late: Promise<unknown> | undefined;
    const gate = Promise.withResolvers<void>();
    const agent = defineAgent({ name: 'ruled' })
      .addAction('first', EventType.InputEvent, (_event, ctx) => {
        late = outside(async () => {
          await gate.promise;
          await use(ctx);
        });
      })
      .addAction('second', EventType.InputEvent, async (_event, ctx) => {
        await ctx.durableExecute({ id: 'wait', call: () => settleMicrotasks() });
        gate.resolve();
        await late;
      });
    expect(await testRuntime([agent]).run('ruled', null)).toMatchObject({ status: 'COMPLETED' });
    expect(await late).toMatchObject({
      code: 'CALL_OUTSIDE_ACTION',
      message: expect.stringContaining('Action "first" has ended'),
    });
  });
});

describe('a context whose drive has ended', () => {
  it('is dead: what goes on late in a warm process starts nothing, writes nothing and never settles', async () => {
    const unhandled = collectUnhandledRejections();
    const gate = Promise.withResolvers<void>();
    const late: string[] = [];
    let attempts = 0;
    const agent = agentOf(async (ctx) => {
      attempts += 1;
      if (attempts > 1) return;
      const branch = async () => {
        await gate.promise;
        ctx.sendEvent(note({}));
        ctx.shortTermMemory.set('a', 1);
        late.push('awake');
        await ctx.durableExecute({ id: 'late', call: () => late.push('called') });
        late.push('gone on');
      };
      await Promise.all([branch(), ctx.durableExecute({ id: 'endless', call: () => new Promise(() => {}) })]);
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null, { key: 'k' });
    const first = bench.drive('r');
    await bench.pass(295_000);
    expect(await first).toEqual({ kind: 'continued' });
    expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
    const before = bench.items.items();
    gate.resolve();
    await settleMicrotasks();
    expect(late).toEqual(['awake']);
    expect(bench.items.items()).toEqual(before);
    expect(unhandled()).toEqual([]);
  });

  it('reads no memory any more', async () => {
    const gate = Promise.withResolvers<void>();
    let read: unknown = 'never came back';
    let attempts = 0;
    const agent = agentOf(async (ctx) => {
      attempts += 1;
      if (attempts > 1) return;
      await gate.promise;
      read = await ctx.sensoryMemory.get('a');
    });
    const bench = new DriveBench([agent]);
    await bench.begin('r', null);
    const first = bench.drive('r');
    await bench.pass(295_000);
    await first;
    await bench.drive('r');
    gate.resolve();
    await settleMicrotasks();
    expect(read).toBe('never came back');
  });
});

describe('an action', () => {
  it('may be synchronous', async () => {
    const agent = defineAgent({ name: 'sync', output: z.number() })
      .addAction('one', EventType.InputEvent, (_event, ctx) => {
        ctx.sensoryMemory.set('a', 1);
        ctx.sendEvent(note({}));
      })
      .addAction('two', note, (_event, ctx) => ctx.sendEvent(OutputEvent(2)));
    expect(await testRuntime([agent]).run('sync', null)).toMatchObject({ status: 'COMPLETED', outputs: [2] });
  });

  it('may wait for what is no durable call, also beside one', async () => {
    const agent = defineAgent({ name: 'timed', output: z.string() }).addAction(
      'wait',
      EventType.InputEvent,
      async (_event, ctx) => {
        await settleMicrotasks();
        const [, value] = await Promise.all([settleMicrotasks(), ctx.durableExecute({ id: 'a', call: () => 'a' })]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        ctx.sendEvent(OutputEvent(`${value}${await ctx.durableExecute({ id: 'b', call: () => 'b' })}`));
      },
    );
    expect(await testRuntime([agent]).run('timed', null)).toMatchObject({ status: 'COMPLETED', outputs: ['ab'] });
  });

  it('gets an event of its own, whatever another did to its', async () => {
    const seen: unknown[] = [];
    const agent = defineAgent({ name: 'copies', input: z.object({ list: z.array(z.number()) }) })
      .addAction('spoils', EventType.InputEvent, (event) => void event.input.list.push(2))
      .addAction('looks', EventType.InputEvent, (event) => void seen.push(event.input.list));
    await testRuntime([agent]).run('copies', { list: [1] });
    expect(seen).toEqual([[1]]);
  });

  it('keeps events and memory as they were when it gave them', async () => {
    const carried = defineEvent('carried', z.object({ list: z.array(z.number()) }));
    const seen: unknown[] = [];
    const agent = defineAgent({ name: 'snapshots' })
      .addAction('gives', EventType.InputEvent, (_event, ctx) => {
        const list = [1];
        ctx.sendEvent(carried({ list }));
        ctx.sensoryMemory.set('list', list);
        list.push(2);
      })
      .addAction('looks', carried, async (event, ctx) => {
        seen.push(event.attributes.list, await ctx.sensoryMemory.get('list'));
      });
    await testRuntime([agent]).run('snapshots', null);
    expect(seen).toEqual([[1], [1]]);
  });

  it('starts after those before it, and one piece of action code runs at a time', async () => {
    const log: string[] = [];
    const work = (name: string) => async (_event: unknown, ctx: RunnerContext) => {
      log.push(`${name} begins`);
      await ctx.durableExecute({ id: name, call: () => log.push(`${name} calls`) });
      log.push(`${name} goes on`);
      await settleMicrotasks();
      log.push(`${name} ends`);
    };
    const agent = defineAgent({ name: 'order' })
      .addAction('a', EventType.InputEvent, work('a'))
      .addAction('b', EventType.InputEvent, work('b'));
    await testRuntime([agent]).run('order', null);
    expect(log).toEqual(['a begins', 'a calls', 'b begins', 'b calls', 'a goes on', 'a ends', 'b goes on', 'b ends']);
  });

  it('that is not triggered leaves the run to complete', async () => {
    const agent = defineAgent({ name: 'quiet' }).addAction('nothing', EventType.InputEvent, (_event, ctx) =>
      ctx.sendEvent(note({})),
    );
    expect(await testRuntime([agent]).run('quiet', null)).toMatchObject({ status: 'COMPLETED', outputs: [] });
  });
});
