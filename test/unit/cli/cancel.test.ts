import { expect, it } from 'vitest';
import { echo, flaky } from './support/agents.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';

it('ends a run that is under way', async () => {
  const cli = createSimulatedCli([flaky]);
  cli.simulated.send({ agent: 'flaky', requestId: 'r 1', input: 'a' });
  for (let i = 0; i < 2; i += 1) await cli.simulated.step();
  const { exitCode, out, err } = await cli.run('cancel', 'r 1');
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: '' });
  expect(err).toContain('Asked for the end of r 1.');
  expect(cli.sent).toMatchObject([
    { body: '{"cancel":{"requestId":"r 1"}}', groupId: expect.stringMatching(/^[!-~]+$/) },
  ]);
  await cli.settle('r 1');
  expect(await cli.simulated.run('r 1')).toMatchObject({ status: 'CANCELLED' });
  expect(await cli.run('cancel', 'r 1')).toMatchObject({ exitCode: 0, out: '' });
  expect(cli.sent).toHaveLength(1);
});

it('leaves a finished run as it is and says so', async () => {
  const cli = createSimulatedCli([echo]);
  cli.simulated.send({ agent: 'echo', requestId: 'r1', input: 'a' });
  await cli.settle('r1');
  const err = 'r1 is COMPLETED: there is nothing to cancel any more.';
  expect(await cli.run('cancel', 'r1')).toEqual({ exitCode: 1, out: '', err });
  expect(cli.sent).toEqual([]);
});

it('knows no run that is not there', async () => {
  expect(await createSimulatedCli([echo]).run('cancel', 'r1')).toMatchObject({ exitCode: 3, out: '' });
});

it('takes one id', async () => {
  const cli = createSimulatedCli([echo]);
  expect(await cli.run('cancel')).toMatchObject({ exitCode: 64, err: expect.stringContaining('ID is missing.') });
  expect(await cli.run('cancel', 'a', 'b')).toMatchObject({ exitCode: 64, err: expect.stringContaining('"b"') });
});
