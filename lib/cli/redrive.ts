import type { Command, CommandContext } from './command.ts';
import type { Deployment } from './deployment.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { listRuns } from './list-runs.ts';
import { messageGroup } from './message-group.ts';
import { parseArguments, takePositionals } from './parse-arguments.ts';
import { oneLine } from './plain-text.ts';
import { redriveDeadLetters } from './redrive-dead-letters.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = { blocked: { type: 'boolean' }, 'dead-letters': { type: 'boolean' } } as const;

/** `lambda-agents redrive`. */
export const redriveCommand: Command = {
  name: 'redrive',
  summary: 'lets FAILED and BLOCKED runs go on',
  help: `Usage: lambda-agents redrive (ID | --blocked | --dead-letters)

Lets a run go on from what it has recorded, after its cause was mended: calls that failed are made again, none that succeeded is.

  ID               a FAILED or BLOCKED run
  --blocked        every BLOCKED run
  --dead-letters   every request in the dead-letter queue that was never answered; refused ones are listed and stay

Prints the ids of what was sent.`,
  async run(args, context) {
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    const ways = [positionals.length > 0, values.blocked === true, values['dead-letters'] === true];
    if (ways.filter(Boolean).length !== 1) throw new UsageError('Give one of ID, --blocked and --dead-letters.');
    const [runId] = values.blocked || values['dead-letters'] ? [] : takePositionals(positionals, ['ID'] as const);
    const deployment = await context.openDeployment(choice);
    if (values['dead-letters']) return redriveDeadLetters(deployment, context);
    return runId === undefined ? redriveBlocked(deployment, context) : redriveOne(deployment, runId, context);
  },
};

async function redriveOne(deployment: Deployment, runId: string, context: CommandContext): Promise<ExitCode> {
  const { status } = await findRun(deployment, runId);
  if (status !== 'FAILED' && status !== 'BLOCKED') {
    context.terminal.err(`${oneLine(runId)} is ${status}: only FAILED and BLOCKED runs can be redriven.`);
    return EXIT.failed;
  }
  await sendRedrive(deployment, runId, context);
  return EXIT.done;
}

async function redriveBlocked(deployment: Deployment, context: CommandContext): Promise<ExitCode> {
  const { runs } = await listRuns(deployment.items, ['blocked'], Number.MAX_SAFE_INTEGER);
  for (const { runId } of runs) await sendRedrive(deployment, runId, context);
  if (runs.length === 0) context.terminal.err(`No run is BLOCKED in ${deployment.name}.`);
  return EXIT.done;
}

async function sendRedrive({ requests }: Deployment, runId: string, context: CommandContext): Promise<void> {
  await requests.send({
    body: JSON.stringify({ redrive: { requestId: runId } }),
    groupId: messageGroup(runId),
    deduplicationId: context.createId(),
  });
  context.terminal.out(oneLine(runId));
}
