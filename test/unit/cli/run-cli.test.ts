import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../lib/cli/command.ts';
import { runCli } from '../../../lib/cli/run-cli.ts';
import { AgentError } from '../../../lib/errors/agent-error.ts';
import { createSimulatedCli } from './support/simulated-cli.ts';

const NAMES = ['enqueue', 'runs', 'result', 'trace', 'signal', 'redrive', 'cancel'];

describe('help', () => {
  it.each(['--help', '-h', 'help'])('is shown for %s', async (flag) => {
    const { exitCode, out, err } = await createSimulatedCli([]).run(flag);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    for (const name of NAMES) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(out).toContain('--stack NAME');
  });

  it.each(NAMES)('is shown for %s, whatever else is given', async (name) => {
    const cli = createSimulatedCli([]);
    for (const args of [
      [name, '--help'],
      [name, 'a', '--nonsense', '-h'],
      ['help', name],
    ]) {
      const { exitCode, out, err } = await cli.run(...args);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
      expect(out).toMatch(new RegExp(`^Usage: lambda-agents ${name}`));
      expect(out).toContain('--stack NAME');
    }
    expect(cli.openDeployments).toBe(0);
  });

  it('is no option behind "--"', async () => {
    expect(await createSimulatedCli([]).run('result', '--', '--help')).toMatchObject({ exitCode: 3 });
  });
});

describe('a command line that asks for nothing that there is', () => {
  it.each([
    [[], 'Usage: lambda-agents COMMAND'],
    [
      ['resume'],
      'There is no command "resume". Use one of enqueue, runs, result, trace, signal, redrive, cancel, or --help.',
    ],
    [['result', 'r1', '--forever'], "Unknown option '--forever'."],
    [['result'], 'ID is missing.'],
    [['result', 'r1', 'r2'], 'There is no place for "r2".'],
    [['result', 'r1', '--timeout'], "Option '--timeout <value>' argument missing."],
    [['trace', 'r1', '--json=yes'], "Option '--json' does not take an argument."],
  ])('%j is told with status 64', async (args, fact) => {
    const cli = createSimulatedCli([]);
    const { exitCode, out, err } = await cli.run(...args);
    expect({ exitCode, out }).toEqual({ exitCode: 64, out: '' });
    expect(err.split('\n')[0]).toBe(fact === 'Usage: lambda-agents COMMAND' ? `${fact} [options]` : fact);
  });
});

describe('a failure', () => {
  const failing = (error: unknown) => {
    const err: string[] = [];
    const refuse = () => Promise.reject(error);
    const context: CommandContext = {
      terminal: { colour: false, columns: undefined, out: refuse, err: (line) => err.push(line) },
      openDeployment: refuse,
      readText: refuse,
      now: () => 0,
      pause: refuse,
      createId: () => 'id',
    };
    return { context, err };
  };

  it('that may be expected is told without a stack', async () => {
    const { context, err } = failing(new AgentError('STACK_NOT_FOUND', 'There is no stack. Deploy one.'));
    expect(await runCli(['trace', 'r1'], context)).toBe(69);
    expect(err).toEqual(['There is no stack. Deploy one.']);
  });

  it('of our own is told with its stack', async () => {
    const { context, err } = failing(new RangeError('broken'));
    expect(await runCli(['trace', 'r1'], context)).toBe(70);
    expect(err.join('\n')).toMatch(/^RangeError: broken\n +at /);
  });

  it('closes the deployment', async () => {
    const cli = createSimulatedCli([]);
    await cli.run('trace', 'r1');
    expect(cli.openDeployments).toBe(0);
  });
});
