import { defineAgent, defineEvent, EventType, TerminalError } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { KeyStore } from '../../../lib/store/key-store.ts';
import { isFinal } from '../../../lib/store/run-record.ts';

const written = defineEvent('written', z.object({}));

it('does not put the memory of an earlier life over what later runs of the key wrote', async () => {
  let broken = true;
  const agent = defineAgent({ name: 'writer', input: z.string() })
    .addAction('write', EventType.InputEvent, (event, ctx) => {
      ctx.shortTermMemory.set('value', event.input);
      ctx.sendEvent(written({}));
    })
    .addAction('check', written, (_event, ctx) => {
      if (broken) throw new TerminalError('broken');
      ctx.shortTermMemory.set('checked', ctx.runId);
    });
  const runtime = testRuntime([agent]);
  expect(await runtime.run('writer', 'old', { key: 'k', requestId: 'first' })).toMatchObject({ status: 'FAILED' });
  broken = false;
  expect(await runtime.run('writer', 'new', { key: 'k', requestId: 'second' })).toMatchObject({ status: 'COMPLETED' });
  runtime.deployment.send({ redrive: { requestId: 'first' } });
  await runtime.deployment.settle(
    async () =>
      isFinal((await runtime.deployment.run('first'))?.status ?? 'RUNNING') &&
      (await runtime.deployment.run('first'))?.redrives === 1,
  );
  expect(await runtime.deployment.run('first')).toMatchObject({ status: 'COMPLETED', redrives: 1 });
  const memory = await new KeyStore(runtime.deployment.items, 'writer', 'k').readMemory();
  expect(Object.fromEntries(memory.map(({ field, value }) => [field, value]))).toEqual({
    value: '"new"',
    checked: '"first"',
  });
});
