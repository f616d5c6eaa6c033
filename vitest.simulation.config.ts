import { defineConfig } from 'vitest/config';
import { LONG, LONG_E2E } from './vitest.config.ts';

/** Interleavings of runs of one key, long crash suites and kills. At full size (`SIMULATION=full`) minutes, so not part of `npm test`. */
export default defineConfig({
  test: {
    testTimeout: 900_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'simulation', include: ['test/simulation/**/*.test.ts', ...LONG], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'kills',
          include: LONG_E2E,
          globalSetup: ['test/e2e/support/synthesized-app.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
