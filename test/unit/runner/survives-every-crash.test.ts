import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EffectLog } from '../../../lib/testing/effect-log.ts';
import { programs, remote, single } from './support/crash-programs.ts';

const prepare = () => remote.reset();

describe('a program has one outcome, wherever its process stops', () => {
  it.each(programs)('$name, without a key', async (program) => {
    const report = await testRuntime([program]).survivesEveryCrash(program.name, 'ab', { prepare });
    expect(report.crashes).toBe(report.portCalls * 2);
    expect(report.portCalls).toBeGreaterThanOrEqual(11);
  });

  it.each(programs)('$name, with a key', async (program) => {
    const report = await testRuntime([program]).survivesEveryCrash(program.name, 'ab', { prepare, key: 'k/1' });
    expect(report.portCalls).toBeGreaterThanOrEqual(19);
  });

  it.each([{}, { key: 'k' }])('one call with %o, stopped twice', async (request) => {
    const report = await testRuntime([single]).survivesEveryCrash('single', 'ab', { prepare, pairs: true, ...request });
    expect(report.pairs).toBeGreaterThan(report.crashes);
  });

  it('a reconciled and an at-most-once call, stopped twice', async () => {
    const careful = programs.find(({ name }) => name === 'careful') ?? single;
    const report = await testRuntime([careful]).survivesEveryCrash('careful', 'ab', { prepare, pairs: true });
    expect(report.pairs).toBeGreaterThan(report.crashes * 5);
  });
});

describe('the crash kit', () => {
  const effects: string[] = [];
  const careless = defineAgent({ name: 'careless', output: z.number() }).addAction(
    'count',
    EventType.InputEvent,
    async (_event, ctx) => {
      await ctx.durableExecute({ id: 'first', call: () => 1 });
      ctx.sendEvent(OutputEvent(effects.push('outside of a call')));
    },
  );

  it('notices work outside of durable calls that a crash repeats', async () => {
    const request = { prepare: () => void effects.splice(0) };
    await expect(testRuntime([careless]).survivesEveryCrash('careless', null, request)).rejects.toThrow(
      /A crash (before|after) port call \d+ \(items\.put\) of agent "careless" changed the outcome/,
    );
  });

  it('notices memory that depends on the attempt', async () => {
    let attempts = 0;
    const forgetful = defineAgent({ name: 'forgetful' }).addAction(
      'count',
      EventType.InputEvent,
      async (_event, ctx) => {
        attempts += 1;
        ctx.shortTermMemory.set('attempts', attempts);
        await ctx.durableExecute({ id: 'first', call: () => 1 });
      },
    );
    const prepareCount = () => {
      attempts = 0;
    };
    const request = { key: 'k', prepare: prepareCount };
    await expect(testRuntime([forgetful]).survivesEveryCrash('forgetful', null, request)).rejects.toThrow(
      'changed the outcome',
    );
  });

  it('notices an effect that a lying reconciler repeats', async () => {
    const liar = defineAgent({ name: 'liar' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
      await ctx.durableExecute({ id: 'act', call: () => remote.act('act'), reconcile: (call) => call() });
    });
    await expect(testRuntime([liar]).survivesEveryCrash('liar', null, { prepare })).rejects.toThrow(
      'has a reconciler and took effect 2 times',
    );
  });

  it('sees a durable call that nobody waits for as the framework does', async () => {
    const hasty = defineAgent({ name: 'hasty' }).addAction('act', EventType.InputEvent, (_event, ctx) => {
      void ctx.durableExecute({ id: 'lost', call: () => 1 });
    });
    const watched = testRuntime(new EffectLog().watch([hasty]));
    expect(await watched.run('hasty', null)).toMatchObject({ status: 'FAILED', error: { code: 'UNAWAITED_CALL' } });
  });
});
