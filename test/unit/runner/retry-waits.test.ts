import { defineAgent, EventType, OutputEvent, type RetryPolicy } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';

const POLICY: RetryPolicy = { maxAttempts: 5, initialMillis: 10_000, maxMillis: 600_000, factor: 10 };

/** A call that works at its `succeedsAt`-th attempt, and the remote that it acts upon. */
function failing(succeedsAt: number, policy: RetryPolicy, reconciled = false) {
  let calls = 0;
  let effects = 0;
  const call = async () => {
    calls += 1;
    if (calls < succeedsAt) throw new Error(`attempt ${calls}`);
    effects += 1;
    return reconciled ? effects : 1;
  };
  const reconcile = async (again: () => Promise<number>) => (effects > 0 ? effects : again());
  const agent = defineAgent({ name: 'failing' }).addAction('act', EventType.InputEvent, async (_event, ctx) => {
    const value = await ctx.durableExecute({
      id: 'call',
      call,
      retry: policy,
      ...(reconciled ? { reconcile } : {}),
    });
    ctx.sendEvent(OutputEvent(value));
  });
  const prepare = (): void => {
    calls = 0;
    effects = 0;
  };
  return { agent, prepare, count: () => calls };
}

describe('a long wait between two attempts of a call', () => {
  it('suspends the run, which goes on at the time of the next attempt', async () => {
    const { agent, count } = failing(4, POLICY);
    const runtime = testRuntime([agent]);
    const { clock, drives, wakes } = runtime.deployment;
    const start = clock.now();
    expect(await runtime.run('failing', null)).toMatchObject({ status: 'COMPLETED', outputs: [1] });
    expect(count()).toBe(4);
    expect(drives.map(({ kind }) => kind)).toEqual(['suspended', 'suspended', 'suspended', 'ended']);
    expect(clock.now() - start).toBe(10_000 + 100_000 + 600_000);
    expect(wakes.sent.map(({ wake }) => wake.reason)).toEqual(['accepted', 'timer', 'timer', 'timer']);
  });

  it('is waited out in the drive when it is short', async () => {
    const { agent } = failing(3, { maxAttempts: 3, initialMillis: 500, maxMillis: 2_000 });
    const runtime = testRuntime([agent]);
    expect(await runtime.run('failing', null)).toMatchObject({ status: 'COMPLETED' });
    expect(runtime.deployment.drives.map(({ kind }) => kind)).toEqual(['ended']);
  });

  it('leads to the recorded failure when the budget is used up', async () => {
    const { agent, count } = failing(9, { ...POLICY, maxAttempts: 3 });
    const runtime = testRuntime([agent]);
    expect(await runtime.run('failing', null)).toMatchObject({ status: 'FAILED', error: { message: 'attempt 3' } });
    expect(count()).toBe(3);
  });

  it('uses up no attempt of the run', async () => {
    const { agent } = failing(5, POLICY);
    const runtime = testRuntime([agent], { config: { 'run.max-attempts': 1 } });
    expect(await runtime.run('failing', null)).toMatchObject({ status: 'COMPLETED', outputs: [1] });
  });

  it('is given up when the run is cancelled meanwhile', async () => {
    const { agent, count } = failing(9, POLICY);
    const runtime = testRuntime([agent]);
    runtime.deployment.send({ cancel: { requestId: 'r' } }, 'other', 5_000);
    expect(await runtime.run('failing', null, { requestId: 'r' })).toMatchObject({ status: 'CANCELLED' });
    expect(count()).toBe(1);
  });

  it.each([false, true])('survives every crash (reconciled: %s)', async (reconciled) => {
    const { agent, prepare } = failing(3, POLICY, reconciled);
    const report = await testRuntime([agent]).survivesEveryCrash('failing', null, { prepare });
    expect(report.crashes).toBeGreaterThan(20);
  });
});
