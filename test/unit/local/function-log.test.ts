import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FunctionLog, type LogLine } from '../../../lib/local/function-log.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'function-log-'));
});
afterEach(() => rm(directory, { recursive: true }));

const line = (functionName: string, text: string): LogLine => ({ functionName, at: 1, pid: 2, text });
const texts = (lines: readonly LogLine[]): readonly string[] => lines.map(({ text }) => text);

it('keeps the last lines of each function and of all', () => {
  const log = new FunctionLog(undefined);
  for (const text of ['a1', 'a2', 'a3']) log.append(line('a', text));
  log.append(line('b', 'b1'));
  expect(texts(log.tail(2))).toEqual(['a3', 'b1']);
  expect(texts(log.tail(2, 'a'))).toEqual(['a2', 'a3']);
});

it('forgets the oldest lines', () => {
  const log = new FunctionLog(undefined);
  for (let count = 0; count <= 2_000; count += 1) log.append(line('a', `${count}`));
  expect(texts(log.tail(9_999))).toHaveLength(2_000);
  expect(log.tail(9_999)[0]?.text).toBe('1');
});

it('calls listeners back until they end', () => {
  const log = new FunctionLog(undefined);
  const heard: string[] = [];
  const stop = log.listen(({ text }) => heard.push(text));
  log.append(line('a', 'one'));
  stop();
  log.append(line('a', 'two'));
  expect(heard).toEqual(['one']);
});

it('writes a file for each function, and removes those of an earlier stack', async () => {
  await writeFile(join(directory, 'old.log'), 'old');
  const log = new FunctionLog(directory);
  log.append(line('a', '{"x":1}'));
  log.append(line('b', 'hello'));
  log.append(line('a', 'again'));
  await log.close();
  expect((await readdir(directory)).toSorted()).toEqual(['a.log', 'b.log']);
  expect(await readFile(join(directory, 'a.log'), 'utf8')).toBe('{"x":1}\nagain\n');
});
