import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { JournalStore } from '../../../lib/store/journal-store.ts';
import { approval, echo, flaky, parts } from './support/agents.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';
import { twofold } from './support/twofold.ts';

describe('result', () => {
  it('gives the outputs in the order in which the actions finished', async () => {
    const cli = createSimulatedCli([parts]);
    cli.simulated.send({ agent: 'parts', requestId: 'r1', input: [3, 1, 2] });
    await cli.settle('r1');
    expect(await cli.run('result', 'r1')).toEqual({ exitCode: 0, out: '[\n  3,\n  1,\n  2\n]', err: '' });
  });

  it('reads outputs that stand outside the table', async () => {
    const large = 'x'.repeat(100_000);
    const agent = defineAgent({ name: 'large' }).addAction('go', EventType.InputEvent, (_, ctx) =>
      ctx.sendEvent(OutputEvent({ large })),
    );
    const cli = createSimulatedCli([agent]);
    cli.simulated.send({ agent: 'large', requestId: 'r1', input: null });
    await cli.settle('r1');
    const run = await cli.simulated.run('r1');
    const { journal } = await new JournalStore(cli.simulated.items, 'r1', run?.ttl ?? 0).read();
    expect([...journal.actions.values()]).toMatchObject([{ reference: expect.any(String) }]);
    expect(JSON.parse((await cli.run('result', 'r1')).out)).toEqual([{ large }]);
  });

  it('ends with 3 for a run that is not there', async () => {
    const { exitCode, out, err } = await createSimulatedCli([echo]).run('result', 'nobody');
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toContain('There is no run "nobody" in the simulated deployment.');
  });

  it('ends with 2 for a run that has not finished, without waiting', async () => {
    const cli = createSimulatedCli([flaky]);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    await cli.simulated.step();
    expect(await cli.run('result', 'r1')).toEqual({ exitCode: 2, out: '', err: 'r1 has not finished: RUNNING' });
  });

  it('tells what a suspended run waits for', async () => {
    const cli = createSimulatedCli([approval]);
    cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 60_000 });
    while (await cli.simulated.step());
    expect(await cli.run('result', 'r1')).toEqual({
      exitCode: 2,
      out: '',
      err: 'r1 has not finished: SUSPENDED, waiting for signal approved until 2026-01-01T00:01:00.000Z (in 1 min 0 s), sleep until 2026-01-03T00:00:00.000Z (in 2 d 0 h)',
    });
  });

  it('ends with 1 for a run whose attempts are used up, and gives the error', async () => {
    const cli = createSimulatedCli([flaky]);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    await cli.settle('r1');
    const { exitCode, out, err } = await cli.run('result', 'r1');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '[]' });
    expect(err).toBe('r1 is FAILED. Error: no answer\nfrom the service');
  });

  it('ends with 1 for a run that was cancelled, which no error did', async () => {
    const cli = createSimulatedCli([flaky]);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    for (let i = 0; i < 2; i += 1) await cli.simulated.step();
    cli.simulated.send({ cancel: { requestId: 'r1' } });
    await cli.settle('r1');
    expect(await cli.run('result', 'r1')).toEqual({ exitCode: 1, out: '[]', err: 'r1 is CANCELLED.' });
  });

  it('ends with 1 for a BLOCKED run, which has put nothing out, also when it is to wait', async () => {
    const cli = createSimulatedCli([twofold]);
    cli.simulated.send({ agent: 'twofold', requestId: 'r1', input: null });
    await cli.settle('r1');
    for (const wait of [[], ['--wait']]) {
      const { exitCode, out, err } = await cli.run('result', 'r1', ...wait);
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
      expect(err).toMatch(/^r1 is BLOCKED\. ReplayMismatchError: Durable call "ask"/);
    }
  });
});

describe('result --wait', () => {
  it('waits for a request that is on its way', async () => {
    const cli = createSimulatedCli([echo]);
    cli.simulated.send({ agent: 'echo', requestId: 'r1', input: 'ab' });
    expect(await cli.run('result', 'r1', '--wait')).toMatchObject({ exitCode: 0, out: '[\n  "abab"\n]' });
  });

  it('waits 60 seconds for a run that is not there', async () => {
    const cli = createSimulatedCli([echo]);
    const start = cli.simulated.clock.now();
    expect(await cli.run('result', 'nobody', '--wait')).toMatchObject({ exitCode: 3, out: '' });
    expect(cli.simulated.clock.now() - start).toBe(60_000);
  });

  it('waits for a run that is there as long as it takes', async () => {
    const cli = createSimulatedCli([flaky]);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    await cli.simulated.step();
    expect(await cli.run('result', 'r1', '--wait')).toMatchObject({ exitCode: 1, out: '[]' });
  });

  it('tells once what a suspended run waits for, and then its answer', async () => {
    const cli = createSimulatedCli([approval]);
    cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 60_000 });
    while (await cli.simulated.step());
    const { exitCode, out, err } = await cli.run('result', 'r1', '--wait');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: '[\n  "nobody answered"\n]' });
    expect(err.split('\n')).toEqual([expect.stringMatching(/^r1: SUSPENDED, waiting for signal approved until/)]);
  });

  it('ends at its timeout', async () => {
    const cli = createSimulatedCli([flaky]);
    const start = cli.simulated.clock.now();
    expect(await cli.run('result', 'nobody', '--wait', '--timeout', '7')).toMatchObject({ exitCode: 3 });
    expect(cli.simulated.clock.now() - start).toBe(7_000);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    expect(await cli.run('result', 'r1', '--wait', '--timeout', '5')).toMatchObject({ exitCode: 2, out: '' });
  });

  it('has no timeout without --wait', async () => {
    expect(await createSimulatedCli([]).run('result', 'r1', '--timeout', '5')).toMatchObject({ exitCode: 64 });
  });
});
