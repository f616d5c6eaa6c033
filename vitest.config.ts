import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], timeout: number) => ({
  extends: true as const,
  test: { name, include, testTimeout: timeout, hookTimeout: timeout },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'], 30_000),
      project('infra', ['test/infra/**/*.test.ts'], 120_000),
      project('e2e', ['test/e2e/**/*.test.ts'], 120_000),
    ],
  },
});
