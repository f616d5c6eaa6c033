import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { collectUnhandledRejections } from './support/unhandled-rejections.ts';
import { prepareWaits, type WaitProgram, waitPrograms } from './support/wait-programs.ts';

/** `short`: programs with few enough port calls to be stopped at each two of them. */
const profiles = [
  {
    profile: 'staying for short waits',
    config: {},
    short: ['a sleep whose rest is short', 'a race that a sleep wins'],
    requests: [{}, { key: 'k/1' }],
  },
  {
    profile: 'suspending for every wait',
    config: { 'run.stay-millis': 0 },
    short: ['a signal before its wait'],
    requests: [{}],
  },
];

describe.each(profiles)(
  'a program that waits has one outcome, wherever its process stops, $profile',
  ({ config, short, requests }) => {
    const crash = async ({ agent, signals = [] }: WaitProgram, more: { key?: string; pairs?: boolean }) =>
      testRuntime([agent], { config }).survivesEveryCrash(agent.name, 'ab', {
        signals,
        prepare: prepareWaits,
        ...more,
      });

    it.each(waitPrograms)('$name', async (program) => {
      const unhandled = collectUnhandledRejections();
      const { agent, signals = [], status = 'COMPLETED', outputs } = program;
      prepareWaits();
      expect(await testRuntime([agent], { config }).run(agent.name, 'ab', { signals })).toMatchObject({
        status,
        outputs,
      });
      for (const more of requests) {
        const report = await crash(program, more);
        expect(report.crashes).toBe(report.portCalls * 2);
        expect(report.portCalls).toBeGreaterThanOrEqual(12);
      }
      expect(unhandled()).toEqual([]);
    });

    it('the short ones, stopped twice', { timeout: 120_000 }, async () => {
      let pairs = 0;
      for (const program of waitPrograms.filter(({ name }) => short.includes(name)))
        pairs += (await crash(program, { pairs: true })).pairs;
      console.info(`${pairs} pairs of crashes`);
      expect(pairs).toBeGreaterThan(1_000);
    });
  },
);
