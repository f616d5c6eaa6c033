import { beforeEach, describe, expect, it } from 'vitest';
import { approval, echo, flaky } from './support/agents.ts';
import { createSimulatedCli, type SimulatedCli } from './support/simulated-cli.ts';
import { twofold } from './support/twofold.ts';

let cli: SimulatedCli;
beforeEach(() => {
  cli = createSimulatedCli([echo, flaky, twofold, approval]);
});

/** One run of each kind, a minute apart: COMPLETED, FAILED, BLOCKED, RUNNING and one PARKED behind it. */
async function makeRuns(): Promise<void> {
  const { simulated } = cli;
  simulated.send({ agent: 'echo', requestId: 'done', input: 'a' });
  simulated.send({ agent: 'flaky', requestId: 'failed', input: 'a' });
  await cli.settle('done', 'failed');
  simulated.clock.advanceBy(60_000);
  simulated.send({ agent: 'twofold', requestId: 'blocked', input: null });
  await cli.settle('blocked');
  simulated.clock.advanceBy(60_000);
  simulated.send({ agent: 'flaky', key: 'k', requestId: 'running', input: 'a' });
  simulated.clock.advanceBy(1_000);
  simulated.send({ agent: 'flaky', key: 'k', requestId: 'parked', input: 'a' });
  while (await simulated.step());
}

describe('runs', () => {
  it('lists what has not finished and what is FAILED, newest first', async () => {
    await makeRuns();
    const { exitCode, out, err } = await cli.run('runs');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toBe('ID       AGENT    KEY  STATUS   AGE    ATTEMPTS  WAITS FOR, LAST ERROR');
    expect(lines.slice(1).map((line) => line.split(/\s+/)[0])).toEqual(
      expect.arrayContaining(['running', 'parked', 'blocked', 'failed']),
    );
    expect(lines.at(-1)).toMatch(/^failed {3}flaky {9}FAILED {3}\d min {2}5 {9}Error: no answer from the service$/);
    expect(out).toMatch(/^running {2}flaky {4}k {4}RUNNING {2}\d s {4}1 {9}Error: no answer from the service$/m);
    expect(out).toMatch(/^blocked {2}twofold {7}BLOCKED {2}\d min {2}\d {9}ReplayMismatchError: .{1,99}…$/m);
  });

  it.each([
    [['--failed'], ['failed']],
    [['--blocked'], ['blocked']],
    [['--unfinished'], ['blocked', 'parked', 'running']],
    [
      ['--failed', '--blocked'],
      ['blocked', 'failed'],
    ],
  ])('lists by %j', async (flags, expected) => {
    await makeRuns();
    const { out } = await cli.run('runs', '--json', ...flags);
    const listed = JSON.parse(out) as readonly { readonly runId: string }[];
    expect(listed.map(({ runId }) => runId).toSorted()).toEqual(expected);
  });

  it('gives JSON with the error of the last attempt', async () => {
    await makeRuns();
    const { out } = await cli.run('runs', '--json', '--failed');
    expect(JSON.parse(out)).toEqual([
      {
        runId: 'failed',
        agent: 'flaky',
        status: 'FAILED',
        attempts: 5,
        redrives: 0,
        hops: 0,
        createdAt: Date.UTC(2026, 0, 1),
        error: { name: 'Error', message: 'no answer\nfrom the service' },
      },
    ]);
  });

  it('tells what suspended runs wait for', async () => {
    cli.simulated.send({ agent: 'approval', requestId: 'r1', input: 3_600_000 });
    while (await cli.simulated.step());
    cli.simulated.clock.advanceBy(60_000);
    const { out } = await cli.run('runs');
    expect(out).toMatch(/^r1 +approval +SUSPENDED +1 min +1 +signal approved until/m);
    expect(out).toContain(
      'until 2026-01-01T01:00:00.000Z (in 59 min 0 s), sleep until 2026-01-03T00:00:00.000Z (in 1 d 23 h)',
    );
    expect(JSON.parse((await cli.run('runs', '--json')).out)).toMatchObject([
      {
        runId: 'r1',
        status: 'SUSPENDED',
        waitsFor: [
          { kind: 'signal', name: 'approved', until: Date.UTC(2026, 0, 1, 1) },
          { kind: 'sleep', name: 'sleep', until: Date.UTC(2026, 0, 3) },
        ],
      },
    ]);
  });

  it('stops at its limit and says so', async () => {
    for (let i = 0; i < 45; i += 1) cli.simulated.send({ agent: 'flaky', requestId: `r${i}`, input: 'a' }, `g${i}`);
    while (await cli.simulated.step());
    const { out, err } = await cli.run('runs', '--json', '--limit', '30');
    expect(JSON.parse(out)).toHaveLength(30);
    expect(err).toBe('There are more than 30. Raise --limit to see them.');
    const all = await cli.run('runs', '--json', '--limit', '45');
    expect(JSON.parse(all.out)).toHaveLength(45);
    expect(all.err).toBe('');
  });

  it('goes by the record where the index is behind it', async () => {
    await makeRuns();
    const { items } = cli.simulated;
    const behind = {
      ...(await items.get({ pk: 'RUN#done', sk: 'RUN' })),
      pk: 'RUN#done',
      sk: 'RUN',
      gs: 'due#0',
      du: 1,
    };
    await items.put(behind);
    await items.put({ pk: 'RUN#pruned', sk: 'INPUT', gs: 'due#1', du: 1 });
    const { out, exitCode } = await cli.run('runs', '--json', '--unfinished');
    expect(exitCode).toBe(0);
    expect(out).not.toMatch(/done|pruned/);
  });

  it('says that there is none', async () => {
    expect(await cli.run('runs')).toEqual({ exitCode: 0, out: '', err: 'No such run in the simulated deployment.' });
    expect(await cli.run('runs', '--json')).toEqual({ exitCode: 0, out: '[]', err: '' });
  });

  it.each([[['--limit', '0']], [['--limit', 'all']], [['r1']]])('refuses %j', async (args) => {
    expect(await cli.run('runs', ...args)).toMatchObject({ exitCode: 64, out: '' });
  });
});
