import { CallTimeoutError } from '../errors/public-errors.ts';
import type { Clock } from '../ports/clock.ts';

/** Waits for a hook of user code, but not for ever; a late outcome is ignored. @throws what the hook throws, or CallTimeoutError */
export async function within<T>(clock: Clock, millis: number, what: string, hook: () => T | Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const limit = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(
      millis,
      () =>
        reject(new CallTimeoutError(`${what} did not settle within ${millis} ms. Give it a shorter limit of its own.`)),
      'limit',
    );
  });
  try {
    return await Promise.race([(async () => hook())(), limit]);
  } finally {
    cancel();
  }
}
