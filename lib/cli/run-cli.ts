import { cancelCommand } from './cancel.ts';
import type { Command, CommandContext } from './command.ts';
import type { Deployment } from './deployment.ts';
import { describeFailure } from './describe-failure.ts';
import { enqueueCommand } from './enqueue.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { DEPLOYMENT_HELP } from './parse-arguments.ts';
import { redriveCommand } from './redrive.ts';
import { resultCommand } from './result.ts';
import { runsCommand } from './runs.ts';
import { signalCommand } from './signal.ts';
import { traceCommand } from './trace.ts';

const COMMANDS: readonly Command[] = [
  enqueueCommand,
  runsCommand,
  resultCommand,
  traceCommand,
  signalCommand,
  redriveCommand,
  cancelCommand,
];

const HELP = `Usage: lambda-agents COMMAND [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}`).join('\n')}

lambda-agents COMMAND --help shows what a command takes.

${DEPLOYMENT_HELP}`;

/** Runs one command line. Never throws: what goes wrong is told on standard error. */
export async function runCli(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  const [name, ...rest] = args;
  if (name === undefined) {
    terminal.err(HELP);
    return EXIT.usage;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(helpOf(rest[0]) ?? HELP);
    return EXIT.done;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    const known = COMMANDS.map((each) => each.name).join(', ');
    terminal.err(`There is no command ${JSON.stringify(name)}. Use one of ${known}, or --help.`);
    return EXIT.usage;
  }
  if (asksForHelp(rest)) {
    terminal.out(helpOf(name) ?? HELP);
    return EXIT.done;
  }
  return runCommand(command, rest, context);
}

async function runCommand(command: Command, args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const opened: Deployment[] = [];
  const openDeployment: CommandContext['openDeployment'] = async (choice) => {
    const deployment = await context.openDeployment(choice);
    opened.push(deployment);
    return deployment;
  };
  try {
    return await command.run(args, { ...context, openDeployment });
  } catch (error) {
    return tell(error, command, context);
  } finally {
    for (const deployment of opened) deployment.close();
  }
}

function tell(error: unknown, command: Command, { terminal }: CommandContext): ExitCode {
  const failure = describeFailure(error);
  if (failure === undefined) {
    terminal.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT.bug;
  }
  terminal.err(failure.message);
  if (failure.exitCode === EXIT.usage) terminal.err(`lambda-agents ${command.name} --help shows what it takes.`);
  return failure.exitCode;
}

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
};

function helpOf(name: string | undefined): string | undefined {
  const command = COMMANDS.find((each) => each.name === name);
  return command && `${command.help}\n\n${DEPLOYMENT_HELP}`;
}
