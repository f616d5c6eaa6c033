import { describe, expect, it } from 'vitest';
import { approval, echo, flaky } from './support/agents.ts';
import { createSimulatedCli, type SimulatedCli } from './support/simulated-cli.ts';

/** A command line whose run r1 is suspended. */
async function suspended(texts: Readonly<Record<string, string>> = {}): Promise<SimulatedCli> {
  const cli = createSimulatedCli([approval], texts);
  cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 3_600_000 });
  while (await cli.simulated.step());
  return cli;
}

describe('signal', () => {
  it.each([
    [['--value', '{"by":"ann"}'], { by: 'ann' }],
    [['--value-file', 'answer.json'], 'from a file'],
    [['-'], 'from standard input'],
    [[], null],
  ])('tells the run what is given by %j', async (args, value) => {
    const cli = await suspended({ 'answer.json': '"from a file"', '-': '"from standard input"' });
    const sent = await cli.run('signal', 'r1', 'approved', ...args);
    expect(sent).toEqual({ exitCode: 0, out: '', err: 'Sent signal "approved" to r1.' });
    expect(cli.sent).toMatchObject([{ groupId: 'r1', deduplicationId: 'id-1' }]);
    await cli.settle('r1');
    const { out } = await cli.run('result', 'r1');
    expect(JSON.parse(out)).toEqual([value ?? 'nobody answered']);
    expect(cli.openDeployments).toBe(0);
  });

  it('says so when the run does not wait for it, and what it waits for', async () => {
    const cli = await suspended();
    const { exitCode, err } = await cli.run('signal', 'r1', 'aproved');
    expect(exitCode).toBe(0);
    expect(err.split('\n')).toEqual([
      'Sent signal "aproved" to r1.',
      'It is waiting for signal approved until 2026-01-01T01:00:00.000Z (in 1 h 0 min), sleep until 2026-01-03T00:00:00.000Z (in 2 d 0 h), and gets the signal when it waits for it.',
    ]);
    const working = createSimulatedCli([flaky]);
    working.simulated.send({ agent: 'flaky', requestId: 'r1', input: 'a' });
    for (let i = 0; i < 2; i += 1) await working.simulated.step();
    expect((await working.run('signal', 'r1', 'go')).err).toContain(
      'It is RUNNING, and gets the signal when it waits for it.',
    );
  });

  it('sends nothing to a run that has ended', async () => {
    const cli = createSimulatedCli([echo]);
    cli.simulated.send({ agent: 'echo', requestId: 'r1', input: 'a' });
    await cli.settle('r1');
    const err = 'r1 is COMPLETED: a signal changes nothing any more.';
    expect(await cli.run('signal', 'r1', 'go')).toEqual({ exitCode: 1, out: '', err });
    expect(cli.sent).toEqual([]);
  });

  it('knows no run that is not there', async () => {
    const cli = createSimulatedCli([echo]);
    expect(await cli.run('signal', 'r1', 'go')).toMatchObject({ exitCode: 3, out: '' });
    expect(cli.sent).toEqual([]);
  });

  it.each([
    [[], 'ID is missing.'],
    [['r1'], 'NAME is missing.'],
    [['r1', 'go', 'now'], 'There is no place for "now".'],
    [['r1', ''], 'it is empty'],
    [['r1', 'x'.repeat(129)], '129 bytes'],
    [['r1', 'go', '--value', 'yes'], '--value is no JSON'],
    [['r1', 'go', '--value', '1', '-'], 'There is more than one value. Give one of --value JSON'],
    [['r1', 'go', '--value', '{"__proto__":1}'], 'a member named "__proto__"'],
  ])('refuses %j before anything is sent', async (args, fact) => {
    const cli = await suspended({ '-': '1' });
    const { exitCode, out, err } = await cli.run('signal', ...args);
    expect(err).toContain(fact);
    expect({ exitCode, out, sent: cli.sent }).toEqual({ exitCode: 64, out: '', sent: [] });
  });
});
