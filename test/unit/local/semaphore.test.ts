import { expect, it } from 'vitest';
import { Semaphore } from '../../../lib/local/semaphore.ts';

it('lets so many through at a time, in the order in which they asked', async () => {
  const semaphore = new Semaphore(2);
  const through: string[] = [];
  const enter = async (name: string) => {
    await semaphore.acquire();
    through.push(name);
  };
  const all = ['a', 'b', 'c', 'd'].map(enter);
  await Promise.all(all.slice(0, 2));
  expect(through).toEqual(['a', 'b']);
  semaphore.release();
  await all[2];
  expect(through).toEqual(['a', 'b', 'c']);
  semaphore.release();
  await all[3];
  expect(through).toEqual(['a', 'b', 'c', 'd']);
});

it('remembers places that nobody waited for', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  semaphore.release();
  await semaphore.acquire();
  const third = semaphore.acquire().then(() => 'through');
  expect(await Promise.race([third, Promise.resolve('waiting')])).toBe('waiting');
});
