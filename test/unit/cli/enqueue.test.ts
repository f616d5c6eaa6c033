import { describe, expect, it } from 'vitest';
import { broken, echo, flaky } from './support/agents.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';

describe('enqueue', () => {
  it('sends the request and prints its id', async () => {
    const cli = createSimulatedCli([echo]);
    expect(await cli.run('enqueue', 'echo', '--input', '"ab"')).toEqual({ exitCode: 0, out: 'id-1', err: '' });
    expect(cli.sent).toEqual([
      { body: '{"agent":"echo","requestId":"id-1","input":"ab"}', groupId: 'id-1', deduplicationId: 'id-2' },
    ]);
    expect(cli.openDeployments).toBe(0);
  });

  it('takes key and id from the sender; the key is the message group', async () => {
    const cli = createSimulatedCli([echo]);
    const args = ['--input', '"ab"', '--key', 'pr-7', '--request-id', 'pr-7@3f2a'];
    expect(await cli.run('enqueue', 'echo', ...args)).toMatchObject({ exitCode: 0, out: 'pr-7@3f2a' });
    expect(cli.sent).toMatchObject([{ groupId: 'pr-7' }]);
    await cli.settle('pr-7@3f2a');
    expect(await cli.simulated.run('pr-7@3f2a')).toMatchObject({ key: 'pr-7', status: 'COMPLETED' });
  });

  it('makes a group that SQS takes of every key', async () => {
    const cli = createSimulatedCli([echo]);
    await cli.run('enqueue', 'echo', '--input', '"ab"', '--key', 'Grüße an alle');
    await cli.run('enqueue', 'echo', '--input', '"ab"', '--key', 'Grüße an alle');
    await cli.run('enqueue', 'echo', '--input', '"ab"', '--key', 'Grüße an alle!');
    const groups = cli.sent.map(({ groupId }) => groupId);
    expect(groups[0]).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(groups[1]).toBe(groups[0]);
    expect(groups[2]).not.toBe(groups[0]);
  });

  it('gives each message a de-duplication id of its own', async () => {
    const cli = createSimulatedCli([echo]);
    for (let i = 0; i < 2; i += 1) await cli.run('enqueue', 'echo', '--input', '"ab"', '--request-id', 'r1');
    expect(new Set(cli.sent.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
  });

  it('reads the input from a file or from standard input', async () => {
    const cli = createSimulatedCli([echo], { 'input.json': '"from a file"', '-': '"from standard input"' });
    await cli.run('enqueue', 'echo', '--input-file', 'input.json');
    await cli.run('enqueue', 'echo', '-');
    expect(cli.sent.map(({ body }) => JSON.parse(body).input)).toEqual(['from a file', 'from standard input']);
  });

  it.each([
    [['--input', '"a"', '-'], 'There is more than one input'],
    [[], 'The input is missing'],
    [['--input', 'hello'], '--input is no JSON'],
    [['--input', '1', '--key', ''], 'it is empty'],
    [['--input', '1', '--request-id', 'x'.repeat(129)], '129 bytes'],
    [['--input', '{"__proto__":1}'], 'a member named "__proto__"'],
    [['--input', '1', '--timeout', '3'], '--timeout is of use with --wait only'],
    [['--input', '1', '--wait', '--timeout', 'soon'], '--timeout is "soon"'],
  ])('refuses %j before anything is sent', async (args, fact) => {
    const cli = createSimulatedCli([echo]);
    const { exitCode, out, err } = await cli.run('enqueue', 'echo', ...args);
    expect(err).toContain(fact);
    expect({ exitCode, out, sent: cli.sent }).toEqual({ exitCode: 64, out: '', sent: [] });
  });
});

describe('enqueue with an id that is in use', () => {
  it('is fine with the same request, and names it with another', async () => {
    const cli = createSimulatedCli([echo]);
    await cli.run('enqueue', 'echo', '--input', '"ab"', '--key', 'k', '--request-id', 'r1');
    await cli.settle('r1');
    const again = await cli.run('enqueue', 'echo', '--input', '"ab"', '--key', 'k', '--request-id', 'r1', '--wait');
    expect(again).toMatchObject({ exitCode: 0, out: '[\n  "abab"\n]' });
    const other = await cli.run('enqueue', 'echo', '--input', '"cd"', '--key', 'k', '--request-id', 'r1', '--wait');
    expect(other).toMatchObject({ exitCode: 64, out: '' });
    expect(other.err).toContain('The request id "r1" belongs to a request with another agent, key or input');
    expect(cli.sent).toHaveLength(2);
  });
});

describe('enqueue --wait', () => {
  it('shows the outputs on standard output and everything else on standard error', async () => {
    const cli = createSimulatedCli([echo]);
    const { exitCode, out, err } = await cli.run('enqueue', 'echo', '--input', '"ab"', '--wait');
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: '[\n  "abab"\n]' });
    expect(err).toContain('id-1: sent\nid-1: not accepted yet');
  });

  it('ends with 1 when the run fails, after what it has put out', async () => {
    const cli = createSimulatedCli([broken]);
    const { exitCode, out, err } = await cli.run('enqueue', 'broken', '--input', '"ab"', '--wait');
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '[\n  "ab"\n]' });
    expect(err).toContain('id-1 is FAILED. TerminalError: The disk is full.');
  });

  it('tells attempts and their error while it waits, and ends with 2 at its timeout', async () => {
    const cli = createSimulatedCli([flaky]);
    const { exitCode, out, err } = await cli.run('enqueue', 'flaky', '--input', '"a"', '--wait', '--timeout', '2.5');
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain('id-1: RUNNING, attempt 2, last error: Error: no answer from the service');
    expect(err).toMatch(/\nid-1 has not finished: RUNNING, attempt 2[^\n]*$/);
  });

  it('tells why the request was refused', async () => {
    const cli = createSimulatedCli([echo]);
    const { exitCode, err } = await cli.run('enqueue', 'ecko', '--input', '"ab"', '--wait');
    expect(exitCode).toBe(1);
    expect(err).toContain('The request was refused. UNKNOWN_AGENT: There is no agent "ecko" here. Use one of: echo.');
  });
});
