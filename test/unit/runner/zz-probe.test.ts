import { testRuntime } from 'lambda-agents/testing';
import { describe, expect, it } from 'vitest';
import { prepareWaits, waitPrograms } from '/work/main/test/unit/runner/support/wait-programs.ts';

const profiles = [
  { profile: 'normal', config: {} },
  { profile: 'always suspending', config: { 'run.stay-millis': 0 } },
] as const;

describe.each(profiles)('$profile', ({ config }) => {
  it.each(waitPrograms)('$name', async ({ name, agent, signals = [], status = 'COMPLETED', outputs }) => {
      prepareWaits();
      const runtime = testRuntime([agent], { config });
      const r = await runtime.run(agent.name, 'ab', { signals });
      expect(r, JSON.stringify(r.error)).toMatchObject({ status, outputs });
      const t = performance.now();
      const report = await testRuntime([agent], { config }).survivesEveryCrash(agent.name, 'ab', {signals, prepare: prepareWaits});
      console.log(name, JSON.stringify(report), performance.now() - t);
  }, 60000);
});
