import { defineAgent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { echo } from './support/agents.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';
import { twofold } from './support/twofold.ts';

/** Fails until it is mended. */
function createMendable() {
  let isMended = false;
  const agent = defineAgent({ name: 'mendable' }).addAction('go', EventType.InputEvent, async (_, ctx) => {
    const answer = await ctx.durableExecute({
      id: 'ask',
      call: () => {
        if (!isMended) throw new TerminalError('not yet');
        return 42;
      },
    });
    ctx.sendEvent(OutputEvent(answer));
  });
  const mend = (): void => {
    isMended = true;
  };
  return { agent, mend };
}

describe('redrive ID', () => {
  it('lets a FAILED run go on', async () => {
    const { agent, mend } = createMendable();
    const cli = createSimulatedCli([agent]);
    cli.simulated.send({ agent: 'mendable', requestId: 'r1', input: null });
    await cli.settle('r1');
    expect(await cli.run('result', 'r1')).toMatchObject({ exitCode: 1 });
    mend();
    expect(await cli.run('redrive', 'r1')).toEqual({ exitCode: 0, out: 'r1', err: '' });
    expect(cli.sent).toMatchObject([{ body: '{"redrive":{"requestId":"r1"}}', groupId: 'r1' }]);
    await cli.simulated.step();
    await cli.settle('r1');
    expect(await cli.run('result', 'r1')).toMatchObject({ exitCode: 0, out: '[\n  42\n]' });
  });

  it('does nothing to a run that needs nothing', async () => {
    const cli = createSimulatedCli([echo]);
    cli.simulated.send({ agent: 'echo', requestId: 'r1', input: 'a' });
    await cli.settle('r1');
    const err = 'r1 is COMPLETED: only FAILED and BLOCKED runs can be redriven.';
    expect(await cli.run('redrive', 'r1')).toEqual({ exitCode: 1, out: '', err });
    expect(await cli.run('redrive', 'r2')).toMatchObject({ exitCode: 3, out: '' });
    expect(cli.sent).toEqual([]);
  });
});

describe('redrive --blocked', () => {
  it('takes every BLOCKED run and no other', async () => {
    const { agent } = createMendable();
    const cli = createSimulatedCli([agent, twofold]);
    const ids = ['b1', 'b2', 'b3'];
    for (const requestId of ids) cli.simulated.send({ agent: 'twofold', requestId, input: null });
    cli.simulated.send({ agent: 'mendable', requestId: 'f1', input: null });
    await cli.settle(...ids, 'f1');
    const { exitCode, out } = await cli.run('redrive', '--blocked');
    expect({ exitCode, ids: out.split('\n').toSorted() }).toEqual({ exitCode: 0, ids });
    expect(cli.sent.map(({ body }) => JSON.parse(body).redrive.requestId).toSorted()).toEqual(ids);
  });

  it('says that there is none', async () => {
    const err = 'No run is BLOCKED in the simulated deployment.';
    expect(await createSimulatedCli([]).run('redrive', '--blocked')).toEqual({ exitCode: 0, out: '', err });
  });
});

it.each([[[]], [['r1', '--blocked']], [['--blocked', '--dead-letters']], [['r1', 'r2']]])(
  'refuses to redrive %j',
  async (args) => {
    expect(await createSimulatedCli([]).run('redrive', ...args)).toMatchObject({ exitCode: 64, out: '' });
  },
);
