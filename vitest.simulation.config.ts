import { defineConfig } from 'vitest/config';
import { LONG } from './vitest.config.ts';

/** Interleavings of runs of one key and long crash suites. At full size (`SIMULATION=full`) minutes, so not part of `npm test`. */
export default defineConfig({
  test: { include: ['test/simulation/**/*.test.ts', ...LONG], testTimeout: 900_000, hookTimeout: 60_000 },
});
