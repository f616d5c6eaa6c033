import { RunStatus } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { compilePlans } from '../../../lib/agent/plan.ts';
import { pollRound } from '../../../lib/polling/poll-round.ts';
import type { ItemStore } from '../../../lib/ports/item-store.ts';
import type { PollRound } from '../../../lib/ports/poll-scheduler.ts';
import type { PollEntry } from '../../../lib/store/poll-records.ts';
import { PollStore } from '../../../lib/store/poll-store.ts';
import { skipTime } from '../../../lib/testing/skip-time.ts';
import { runsFor } from '../subagents/support/answers.ts';
import { JobService, passTime } from '../subagents/support/job-service.ts';
import { askingAgent, endOf, simulate, startWaiting } from '../subagents/support/simulation.ts';

const INVOCATION_MILLIS = 60_000;

/** A run that waits for so many calls, whose poller is in the hands of the test. */
async function waitingRun(service: JobService, intervalMillis: number, calls = 1) {
  const agent = askingAgent(service, { statusPollIntervalMillis: intervalMillis }, calls);
  const { deployment } = simulate(agent, service);
  await startWaiting(deployment, 'r');
  const { items, payloads, wakes, clock, polls } = deployment;
  const execution = polls.executions[0];
  if (execution === undefined) throw new Error('Nothing polls.');
  const store = new PollStore(items, 'r', execution.round.ttl);
  const plans = compilePlans([agent]);
  const entries = async (): Promise<readonly PollEntry[]> => [...(await store.read(intervalMillis)).entries.values()];
  const poll = (round: PollRound, more: { readonly items?: ItemStore; readonly timeLeft?: number } = {}) => {
    const ports = { items: more.items ?? items, payloads, wakes, clock };
    const deadline = clock.now() + (more.timeLeft ?? INVOCATION_MILLIS);
    return skipTime(clock, pollRound({ plans, ports, deadline }, round));
  };
  /** Another call that the remote has taken just now, as a drive enters it. */
  const join = async (callId: string): Promise<string> => {
    const [known] = await entries();
    if (known === undefined) throw new Error('No call is left to take as a pattern.');
    await store.putEntry({ ...known, ordinal: 100, callId, sessionId: callId, startedAt: clock.now() });
    await store.join(intervalMillis);
    return `${callId}#${callId}`;
  };
  return { deployment, round: execution.round, store, entries, poll, join, clock };
}

describe('a round that is not wanted any more', () => {
  it('ends without a probe when another generation polls', async () => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll, entries } = await waitingRun(service, 1_000);
    const next = await poll({ ...round, generation: round.generation + 1 });
    expect(next).toMatchObject({ done: true, round: 1 });
    expect(service.count('status')).toBe(0);
    expect(await entries()).toHaveLength(1);
  });

  it('ends without a probe when its run has ended', async () => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll, store } = await waitingRun(service, 1_000);
    await store.close(1_000);
    expect(await poll(round)).toMatchObject({ done: true });
    expect(service.count('status')).toBe(0);
  });

  it('ends when its run is of another life, or gone', async () => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll } = await waitingRun(service, 1_000);
    expect(await poll({ ...round, ttl: round.ttl + 1 })).toMatchObject({ done: true });
    expect(await poll({ ...round, runId: 'another' })).toMatchObject({ done: true });
    expect(service.count('status')).toBe(0);
  });
});

describe('a call that joins while others are probed', () => {
  it('is not probed before its interval, and then as often as they, within one invocation', async () => {
    const service = new JobService({ status: runsFor(1_000) });
    const { round, poll, join, clock } = await waitingRun(service, 500);
    const begin = clock.now();
    let key = '';
    let joinedAt = 0;
    clock.after(2_730, () => void join('later').then((added) => (key = added)), 'background');
    clock.after(2_730, () => (joinedAt = clock.now()), 'background');
    const next = await poll(round);
    expect(next).toMatchObject({ done: false, round: 1, waitSeconds: 1 });
    expect(clock.now() - begin).toBeLessThanOrEqual(10_500);
    const times = service.times('status', key);
    expect((times[0] as number) - joinedAt).toBeGreaterThanOrEqual(500);
    expect((times[0] as number) - joinedAt).toBeLessThanOrEqual(1_000);
    const gaps = times.slice(1).map((time, index) => time - (times[index] as number));
    expect(gaps.length).toBeGreaterThanOrEqual(12);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
    // What the next round is told keeps the spacing over the wait in between.
    expect(next.notBefore).toBe((times.at(-1) as number) + 500);
  });

  it('is not left without a poller when the last of them ends in the same moment', async () => {
    const service = new JobService();
    const { round, poll, join, entries, store, clock } = await waitingRun(service, 1_000);
    let key = '';
    service.answers = {
      status: async () => {
        if (key === '') key = await join('later');
        return RunStatus.completed();
      },
    };
    clock.advanceBy(1_000);
    let next = await poll(round);
    expect(service.count('status')).toBe(1);
    expect(next.done).toBe(false);
    expect(await store.get(1_000)).toMatchObject({ on: 1 });
    expect(await entries()).toMatchObject([{ callId: 'later' }]);
    clock.advanceBy(1_000);
    next = await poll(next);
    expect(service.times('status', key)).toHaveLength(1);
    expect(next.done).toBe(true);
    const record = await store.get(1_000);
    expect(record?.on).toBeUndefined();
    expect(record).toMatchObject({ endedGeneration: 1, generation: 1 });
  });
});

describe('a call that is due soon', () => {
  it.each([
    [600, 1],
    [1_400, 0],
  ])('in %d ms is probed %d times by the round', async (millis, probes) => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll, entries, clock } = await waitingRun(service, 5_000);
    const [entry] = await entries();
    const dueAt = (entry?.startedAt ?? 0) + 5_000;
    clock.advanceTo(dueAt - millis);
    expect(await poll(round)).toMatchObject({ done: false, waitSeconds: 5 });
    expect(service.log.filter(({ hook }) => hook === 'status').map(({ at }) => at)).toEqual(Array(probes).fill(dueAt));
  });
});

describe('an invocation', () => {
  it('has at most twenty probes under way', async () => {
    let [underWay, most] = [0, 0];
    const service = new JobService({
      status: async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await passTime(service.clock, 100);
        underWay -= 1;
        return RunStatus.running();
      },
    });
    const { round, poll, clock } = await waitingRun(service, 5_000, 50);
    clock.advanceBy(5_000);
    await poll(round);
    expect(service.count('status')).toBe(50);
    expect(most).toBe(20);
  });

  it('begins no probe that its time might not suffice for', async () => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll, clock } = await waitingRun(service, 1_000, 3);
    clock.advanceBy(1_000);
    // A probe, a fetch or another submission: ten and thirty seconds.
    expect(await poll(round, { timeLeft: 39_000 })).toMatchObject({ done: false });
    expect(service.count('status')).toBe(0);
    await poll(round, { timeLeft: 45_000 });
    expect(service.count('status')).toBe(3);
  });

  it('ends its burst before its time is up', async () => {
    const service = new JobService({ status: runsFor(1_000) });
    const { round, poll, clock } = await waitingRun(service, 500);
    const begin = clock.now();
    expect(await poll(round, { timeLeft: 45_000 })).toMatchObject({ done: false });
    expect(clock.now() - begin).toBeLessThanOrEqual(4_500);
    expect(service.count('status')).toBeGreaterThan(4);
  });

  it('tries calls that failed before after the others', async () => {
    const service = new JobService({ status: runsFor(9) });
    const { round, poll, entries, store, clock } = await waitingRun(service, 1_000, 30);
    const [bad] = await entries();
    await store.updateEntry(bad as PollEntry, { failures: 3, nextAt: clock.now() });
    clock.advanceBy(1_000);
    await poll(round);
    expect(service.log.filter(({ hook }) => hook === 'status').at(-1)?.call.callId).toBe(bad?.callId);
  });
});

describe('a call that was given up', () => {
  it('is not probed any more, while the others are', async () => {
    const service = new JobService();
    const { round, poll, entries, store, clock } = await waitingRun(service, 1_000, 2);
    const [bad] = await entries();
    service.answers = {
      status: (call, nth) => {
        if (call.callId === bad?.callId) throw new Error('500');
        return runsFor(9)(call, nth);
      },
    };
    await store.updateEntry(bad as PollEntry, { failures: 9 });
    clock.advanceBy(1_000);
    const next = await poll(round);
    expect(next.done).toBe(false);
    expect((await entries()).map(({ callId, faulted }) => [callId === bad?.callId, faulted])).toEqual([
      [true, 1],
      [false, undefined],
    ]);
    clock.advanceBy(1_000);
    await poll(next);
    expect(service.log.filter(({ hook, call }) => hook === 'status' && call.callId === bad?.callId)).toHaveLength(1);
    expect(service.count('status')).toBe(3);
  });
});

describe('a store that fails in a round', () => {
  it.each(['update', 'delete'] as const)(
    'at an %s: the round fails, and repeated it ends what it had begun',
    async (operation) => {
      const service = new JobService();
      const { deployment, round, poll, entries, clock } = await waitingRun(service, 1_000);
      clock.advanceBy(1_000);
      const { items } = deployment;
      const failing: ItemStore = new Proxy(items, {
        get: (target, member) => {
          if (member === operation) return async () => Promise.reject(new Error('the store is down'));
          const method: unknown = Reflect.get(target, member);
          return typeof method === 'function' ? method.bind(target) : method;
        },
      });
      await expect(poll(round, { items: failing })).rejects.toThrow('the store is down');
      expect(await entries()).toHaveLength(1);
      expect(await poll(round)).toMatchObject({ done: true });
      expect(await entries()).toEqual([]);
      expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
      expect(service.count('submit')).toBe(1);
    },
  );

  it('at the record of a failed probe is no failure of the call', async () => {
    const service = new JobService({
      status: () => {
        throw new Error('500');
      },
    });
    const { deployment, round, poll, entries, clock } = await waitingRun(service, 1_000);
    clock.advanceBy(1_000);
    const update = deployment.items.update;
    deployment.items.update = async () => Promise.reject(new Error('the store is down'));
    await expect(poll(round)).rejects.toThrow('the store is down');
    deployment.items.update = update;
    expect((await entries())[0]?.failures).toBeUndefined();
    await poll(round);
    expect((await entries())[0]?.failures).toBe(1);
  });
});
