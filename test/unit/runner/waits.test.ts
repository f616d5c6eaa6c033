import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const DAY = 86_400_000;
const decision = z.object({ by: z.string() });

const sleeper = defineAgent({ name: 'sleeper', input: z.number() }).addAction(
  'nap',
  EventType.InputEvent,
  async (event, ctx) => {
    const before = await ctx.durableExecute({ id: 'before', call: () => 'before' });
    await ctx.sleep(event.input);
    const after = await ctx.durableExecute({ id: 'after', call: () => 'after' });
    ctx.sendEvent(OutputEvent([before, after]));
  },
);

const approval = defineAgent({ name: 'approval', input: z.object({ timeoutMillis: z.number().optional() }) }).addAction(
  'ask',
  EventType.InputEvent,
  async (event, ctx) => {
    const limit = event.input.timeoutMillis === undefined ? {} : { timeoutMillis: event.input.timeoutMillis };
    const answer = await ctx.waitForSignal('approved', { schema: decision, ...limit });
    ctx.sendEvent(OutputEvent(answer ? `approved by ${answer.by}` : 'expired'));
  },
);

describe('sleep', () => {
  it.each([100, 1_999, 5_000, 60_000, 3_600_000, 21 * DAY])(
    'takes %s ms and is survived by every crash',
    async (millis) => {
      const runtime = testRuntime([sleeper]);
      const start = runtime.deployment.clock.now();
      expect(await runtime.run('sleeper', millis)).toMatchObject({
        status: 'COMPLETED',
        outputs: [['before', 'after']],
      });
      const elapsed = runtime.deployment.clock.now() - start;
      expect(elapsed).toBeGreaterThanOrEqual(millis);
      expect(elapsed).toBeLessThanOrEqual(millis + 61_000);
      await runtime.survivesEveryCrash('sleeper', millis);
      await runtime.survivesEveryCrash('sleeper', millis, { key: 'k' });
    },
  );

  it('is suspended meanwhile: one drive to begin and one to end it', async () => {
    const runtime = testRuntime([sleeper]);
    await runtime.run('sleeper', 60_000);
    expect(runtime.deployment.drives.map(({ kind }) => kind)).toEqual(['suspended', 'ended']);
  });
});

describe('waitForSignal', () => {
  it('waits until somebody sends the signal', async () => {
    const runtime = testRuntime([approval]);
    const result = await runtime.run(
      'approval',
      {},
      { signals: [{ name: 'approved', value: { by: 'ann' }, afterMillis: 21 * DAY }] },
    );
    expect(result).toMatchObject({ status: 'COMPLETED', outputs: ['approved by ann'] });
    expect(runtime.deployment.drives.map(({ kind }) => kind)).toEqual(['suspended', 'ended']);
  });

  it('takes a signal that came before anybody waited', async () => {
    const runtime = testRuntime([approval]);
    const result = await runtime.run('approval', {}, { signals: [{ name: 'approved', value: { by: 'bob' } }] });
    expect(result).toMatchObject({ status: 'COMPLETED', outputs: ['approved by bob'] });
  });

  it('gives undefined when none comes in time', async () => {
    const runtime = testRuntime([approval]);
    expect(await runtime.run('approval', { timeoutMillis: DAY })).toMatchObject({ outputs: ['expired'] });
    await runtime.survivesEveryCrash('approval', { timeoutMillis: DAY });
  });

  it('stays suspended while nothing comes', async () => {
    const runtime = testRuntime([approval]);
    expect(await runtime.run('approval', {})).toMatchObject({ status: 'SUSPENDED' });
  });

  it.each([0, 900_000, 3_600_000])('is survived by every crash with the signal after %s ms', async (afterMillis) => {
    const signals = [{ name: 'approved', value: { by: 'ann' }, afterMillis }];
    await testRuntime([approval]).survivesEveryCrash('approval', {}, { signals });
    await testRuntime([approval]).survivesEveryCrash('approval', { timeoutMillis: 7_200_000 }, { signals });
  });
});
