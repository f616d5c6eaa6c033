import { defineConfig } from 'vitest/config';

/** The store contract on DynamoDB Local. Needs Java, so it is not part of `npm test`. */
export default defineConfig({
  test: { include: ['test/contract-local/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
});
