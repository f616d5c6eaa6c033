import { describe, expect, it } from 'vitest';
import { approval, broken, flaky, parts } from './support/agents.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';

describe('trace', () => {
  it('shows a run that failed', async () => {
    const cli = createSimulatedCli([broken]);
    cli.simulated.send({ agent: 'broken', requestId: 'r1', input: 'ab' });
    await cli.settle('r1');
    const { exitCode, out, err } = await cli.run('trace', 'r1');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out.split('\n')).toEqual([
      'run r1  FAILED',
      'agent broken, attempts 1, redrives 0, hops 0',
      expect.stringMatching(/^began 2026-01-01T00:00:00\.000Z, last record after \d+ ms$/),
      'TerminalError: The disk is full.',
      'input "ab"',
      '└─ first on _input_event  +0 ms  0 ms',
      '   ├─ output "ab"',
      '   ├─ sent part {"number":1}',
      '   └─ second on part  UNFINISHED',
      '      └─ call save  FAILED  +0 ms  0 ms  TerminalError: The disk is full.',
    ]);
  });

  it('shows every action of a run under the one that started it', async () => {
    const cli = createSimulatedCli([parts]);
    cli.simulated.send({ agent: 'parts', requestId: 'r1', input: [3, 1] });
    await cli.settle('r1');
    const tree = JSON.parse((await cli.run('trace', 'r1', '--json')).out);
    expect(tree).toMatchObject({
      run: { runId: 'r1', agent: 'parts', status: 'COMPLETED', input: '[3,1]' },
      actions: [
        {
          name: 'split',
          trigger: { type: '_input_event' },
          actions: [
            { name: 'answer', trigger: { type: 'part' }, events: [{ isOutput: true, preview: '3' }] },
            { name: 'answer', trigger: { type: 'part' }, events: [{ isOutput: true, preview: '1' }] },
          ],
        },
      ],
      unplaced: [],
    });
    const [split] = tree.actions;
    expect(split.actions.map(({ trigger }: { trigger: { eventId: string } }) => trigger.eventId)).toEqual(
      split.events.map(({ eventId }: { eventId: string }) => eventId),
    );
  });

  it('shows what a suspended run waits for, until when and how long that is', async () => {
    const cli = createSimulatedCli([approval]);
    cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 3_600_000 });
    while (await cli.simulated.step());
    const { out } = await cli.run('trace', 'r1');
    expect(out.split('\n')).toEqual([
      'run r1  SUSPENDED',
      'agent approval, attempts 1, redrives 0, hops 0',
      expect.stringMatching(/^began .*, looked at again at 2026-01-01T01:00:00\.000Z$/),
      'waits for signal approved until 2026-01-01T01:00:00.000Z (in 1 h 0 min), sleep until 2026-01-03T00:00:00.000Z (in 2 d 0 h)',
      'input 3600000',
      '└─ ask on _input_event  UNFINISHED',
      '   ├─ signal approved  PENDING  +0 ms  until 2026-01-01T01:00:00.000Z (in 1 h 0 min)',
      '   └─ sleep  PENDING  +0 ms  until 2026-01-03T00:00:00.000Z (in 2 d 0 h)',
    ]);
  });

  it('shows a wait that its action left behind as such', async () => {
    const cli = createSimulatedCli([approval]);
    cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 3_600_000 });
    while (await cli.simulated.step());
    cli.simulated.send({ signal: { requestId: 'r1', name: 'approved', value: 'yes' } });
    await cli.settle('r1');
    const { out } = await cli.run('trace', 'r1');
    expect(out).toContain('├─ signal approved  SUCCEEDED  +0 ms  0 ms\n');
    expect(out).toContain('├─ sleep  LEFT  +0 ms\n');
    expect(out).not.toContain('waits for');
  });

  it('shows the last error of a run that goes on', async () => {
    const cli = createSimulatedCli([flaky]);
    cli.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    for (let i = 0; i < 2; i += 1) await cli.simulated.step();
    expect((await cli.run('trace', 'r1')).out).toContain('last error Error: no answer from the service');
  });

  it('shows an input and events that stand outside the table', async () => {
    const cli = createSimulatedCli([broken]);
    cli.simulated.send({ agent: 'broken', requestId: 'r1', input: 'x'.repeat(100_000) });
    await cli.settle('r1');
    const { out } = await cli.run('trace', 'r1');
    expect(out).toMatch(/^input "x{198}…$/m);
    expect(out).toMatch(/output "x{198}…$/m);
    expect(out).toContain('sent part {"number":1}');
  });

  it('ends with 3 for a run that is not there', async () => {
    expect(await createSimulatedCli([]).run('trace', 'r1')).toMatchObject({ exitCode: 3, out: '' });
  });
});
