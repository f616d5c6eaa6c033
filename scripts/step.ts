/** Says how long something took, once it is done. */
export async function step<T>(name: string, action: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await action();
  console.log(`${name} in ${secondsSince(startedAt)} s.`);
  return result;
}

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(2);
