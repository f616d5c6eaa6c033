import { describe, expect, it } from 'vitest';
import { DurablePromise } from '../../../lib/durable/durable-promise.ts';
import { collectUnhandledRejections } from '../runner/support/unhandled-rejections.ts';

const settledLater = () => {
  let resolve: (value: number) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new DurablePromise<number>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
};

describe('who waits for a durable call', () => {
  it('is nobody at first', async () => {
    const { promise, resolve } = settledLater();
    resolve(1);
    await Promise.resolve();
    expect(promise.isObserved).toBe(false);
  });

  it.each<[string, (promise: Promise<number>) => unknown]>([
    ['await', async (promise) => await promise],
    ['then', (promise) => promise.then()],
    ['catch', (promise) => promise.catch(() => 0)],
    ['finally', (promise) => promise.finally(() => {})],
    ['Promise.all', (promise) => Promise.all([promise])],
    ['Promise.allSettled', (promise) => Promise.allSettled([promise])],
    ['Promise.race', (promise) => Promise.race([promise, new Promise(() => {})])],
    ['Promise.any', (promise) => Promise.any([promise])],
    ['Promise.resolve and await', async (promise) => await Promise.resolve(promise)],
    ['the result of an async function', (promise) => (async () => promise)()],
  ])('is somebody after %s', async (_what, wait) => {
    const { promise, resolve } = settledLater();
    const waiting = wait(promise);
    resolve(1);
    await waiting;
    expect(promise.isObserved).toBe(true);
  });

  it('is told nothing by a list that merely holds it', () => {
    const { promise } = settledLater();
    const list = [promise];
    expect(list).toHaveLength(1);
    expect(promise.isObserved).toBe(false);
  });
});

it('derives plain promises', () => {
  const derived = settledLater().promise.then(() => 1);
  expect(derived).toBeInstanceOf(Promise);
  expect(derived).not.toBeInstanceOf(DurablePromise);
});

it('may reject before anybody waits: the process does not stop over it', async () => {
  const unhandled = collectUnhandledRejections();
  const { promise, reject } = settledLater();
  reject(new Error('early'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(promise.isObserved).toBe(false);
  await expect(promise).rejects.toThrow('early');
  expect(unhandled()).toEqual([]);
});
