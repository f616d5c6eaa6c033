import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { splitLines } from '../../../lib/local/split-lines.ts';

async function lines(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const stream = Readable.from(chunks, { objectMode: false });
  const found: string[] = [];
  splitLines(stream, (line) => found.push(line));
  await new Promise((resolve) => stream.once('close', resolve));
  return found;
}

it('joins lines over chunks, inside a character too, and gives the last one without a line feed', async () => {
  const bytes = await buffer(Readable.from([Buffer.from('one\ntwö\nthree')]));
  expect(await lines([bytes.subarray(0, 7), bytes.subarray(7)])).toEqual(['one', 'twö', 'three']);
});

it('ends a line at a line feed only', async () => {
  const text = '{"a":"\u2028\u2029"}\r';
  expect(await lines([Buffer.from(`${text}\n\nnext\n`)])).toEqual([text, '', 'next']);
});
