import { onTestFinished } from 'vitest';

/** Watches for rejections that nobody handles until the test ends; on Lambda one of them stops the process. */
export function collectUnhandledRejections(): () => readonly unknown[] {
  const found: unknown[] = [];
  const collect = (reason: unknown): void => void found.push(reason);
  process.on('unhandledRejection', collect);
  onTestFinished(() => void process.off('unhandledRejection', collect));
  return () => found;
}
