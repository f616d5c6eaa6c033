import { defineAgent, EventType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import type { ItemStore } from '../../../lib/ports/item-store.ts';
import { programs, remote } from './support/crash-programs.ts';
import { DriveBench } from './support/drive-bench.ts';
import { FailingItemStore, RepeatingItemStore } from './support/item-store-wrappers.ts';

const KEYS: readonly { readonly key?: string }[] = [{}, { key: 'k' }];

const cases = programs.flatMap((program) =>
  KEYS.map((more) => ({ program, more, title: `${program.name} ${more.key ?? ''}` })),
);

async function outcomeOf({ program, more }: (typeof cases)[number], wrap?: (items: ItemStore) => ItemStore) {
  remote.reset();
  const bench = new DriveBench([program]);
  const items = wrap?.(bench.items) ?? bench.items;
  await bench.accept({ agent: program.name, requestId: 'r', input: 'ab', ...more }, items);
  const run = await bench.settle('r', items);
  return {
    bench,
    run,
    received: bench.received(),
    drives: bench.traces.filter((trace) => trace.entity_type === 'run' && trace.status === 'started').length,
  };
}

describe('a client that repeats each write, because the first answer was lost', () => {
  it.each(cases)("does not take its own write for somebody else's: $title", async (each) => {
    const calm = await outcomeOf(each);
    const repeated = await outcomeOf(each, (items) => new RepeatingItemStore(items));
    expect(repeated.received).toEqual(calm.received);
    expect(repeated.drives).toBe(calm.drives);
    expect(repeated.run).toMatchObject({ status: calm.run.status, attempts: calm.run.attempts, epoch: calm.run.epoch });
    const adopted = repeated.bench.traces.filter(
      ({ entity_type, status }) => entity_type !== 'event' && status === 'reused',
    );
    expect(adopted).toHaveLength(
      calm.bench.traces.filter(({ entity_type, status }) => entity_type !== 'event' && status === 'reused').length,
    );
    expect(repeated.bench.traces.at(-1)).toMatchObject({
      entity_type: 'run',
      status: calm.bench.traces.at(-1)?.status,
    });
  });

  it('redrives once, and says so', async () => {
    let works = false;
    const moody = defineAgent({ name: 'moody' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'act', call: () => (works ? 1 : Promise.reject(new Error('no'))) });
    });
    for (const more of KEYS) {
      works = false;
      const bench = new DriveBench([moody]);
      const items = new RepeatingItemStore(bench.items);
      await bench.begin('r', null, more);
      expect(await bench.settle('r', items)).toMatchObject({ status: 'FAILED' });
      works = true;
      await bench.accept({ redrive: { requestId: 'r' } }, items);
      expect(bench.wakes.sent.at(-1)?.wake).toEqual({ runId: 'r', reason: 'redrive' });
      expect(await bench.settle('r', items)).toMatchObject({ status: 'COMPLETED', redrives: 1 });
    }
  });
});

it('ends a run that is cancelled before it is driven, though the answers are lost', async () => {
  for (const more of KEYS) {
    const bench = new DriveBench([programs[0]]);
    const items = new RepeatingItemStore(bench.items);
    await bench.begin('r', 'ab', more);
    for (const lost of bench.wakes.waiting()) bench.wakes.take(lost);
    await bench.accept({ cancel: { requestId: 'r' } });
    expect(await bench.settle('r', items)).toMatchObject({ status: 'CANCELLED' });
    expect(bench.received()).toEqual([expect.objectContaining({ status: 'CANCELLED' })]);
  }
});

describe('a store that fails', () => {
  const program = programs[0];

  it.each(['before', 'after'] as const)(
    'fails the attempt %s the record of a call; the next one completes',
    async (when) => {
      remote.reset();
      const bench = new DriveBench([program]);
      await bench.begin('r', 'ab');
      let failures = 0;
      const items = new FailingItemStore(bench.items, ({ key }) => {
        if (!key.sk.startsWith('CALL#') || failures > 0) return undefined;
        failures += 1;
        return when;
      });
      expect(await bench.settle('r', items)).toMatchObject({ status: 'COMPLETED', epoch: 2 });
      expect(remote.count('ab')).toBe(when === 'before' ? 2 : 1);
      expect(bench.received()).toMatchObject([{ output: 'ab done' }, { status: 'COMPLETED' }]);
    },
  );

  it('fails the attempt when an action cannot be recorded', async () => {
    const bench = new DriveBench([program]);
    await bench.begin('r', 'ab');
    let failures = 0;
    const items = new FailingItemStore(bench.items, ({ key }) => {
      if (!key.sk.startsWith('ACTION#') || failures > 2) return undefined;
      failures += 1;
      return 'before';
    });
    expect(await bench.settle('r', items)).toMatchObject({ status: 'COMPLETED', epoch: 4 });
  });

  it('leaves the wake to be delivered again when it cannot be written down that an attempt failed', async () => {
    const bench = new DriveBench([program]);
    await bench.begin('r', 'ab');
    const down = new FailingItemStore(bench.items, () => (bench.traces.length > 0 ? 'before' : undefined));
    await expect(bench.process({ items: down }).drive('r')).rejects.toThrow('The store is down.');
    bench.clock.advanceBy(60_000);
    expect(await bench.settle('r')).toMatchObject({ status: 'COMPLETED' });
  });
});
