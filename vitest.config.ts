import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], timeout: number, globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include, testTimeout: timeout, hookTimeout: timeout, globalSetup },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'], 30_000),
      project('infra', ['test/infra/**/*.test.ts'], 120_000),
      project('e2e', ['test/e2e/**/*.test.ts'], 120_000, ['test/e2e/support/synthesized-app.ts']),
    ],
  },
});
