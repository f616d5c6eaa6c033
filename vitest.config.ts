import { defineConfig } from 'vitest/config';

/** Suites that take too long for `npm test`: `npm run test:simulation` runs them. */
export const LONG = ['test/unit/runner/waits-{life,crashes}.test.ts', 'test/unit/subagents/crash-pairs.test.ts'];
export const LONG_E2E = ['test/e2e/waiting-random-kills.test.ts'];

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly timeoutMillis: number;
  /** Projects of a lower number come first: processes that are timed get the machine to themselves. */
  readonly order: number;
  readonly globalSetup?: readonly string[];
  readonly exclude?: readonly string[];
}

const project = ({ name, include, timeoutMillis, order, globalSetup = [], exclude = [] }: Project) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: ['**/node_modules/**', ...exclude],
    testTimeout: timeoutMillis,
    hookTimeout: timeoutMillis,
    globalSetup: [...globalSetup],
    sequence: { groupOrder: order },
    // Each file of the last group starts processes of its own.
    ...(order > 1 ? { maxWorkers: 1 } : {}),
  },
});

export default defineConfig({
  test: {
    projects: [
      project({
        name: 'unit',
        include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/golden/**/*.test.ts'],
        timeoutMillis: 60_000,
        order: 0,
        exclude: LONG,
      }),
      project({ name: 'infra', include: ['test/infra/**/*.test.ts'], timeoutMillis: 120_000, order: 1 }),
      project({
        name: 'e2e',
        include: ['test/e2e/**/*.test.ts'],
        timeoutMillis: 120_000,
        order: 2,
        globalSetup: ['test/e2e/support/synthesized-app.ts'],
        exclude: LONG_E2E,
      }),
    ],
  },
});
