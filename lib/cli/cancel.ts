import { isFinal } from '../store/run-record.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { messageGroup } from './message-group.ts';
import { parseArguments, takePositionals } from './parse-arguments.ts';
import { oneLine } from './plain-text.ts';

/** `lambda-agents cancel ID`. */
export const cancelCommand: Command = {
  name: 'cancel',
  summary: 'ends a run CANCELLED',
  help: `Usage: lambda-agents cancel ID

Sends the request to end a run. Its driver stops at its next write; a run that has begun to end stays as it is.`,
  async run(args, { terminal, openDeployment, createId }) {
    const { positionals, choice } = parseArguments(args, {});
    const [runId] = takePositionals(positionals, ['ID'] as const);
    const deployment = await openDeployment(choice);
    const { status } = await findRun(deployment, runId);
    if (status === 'COMPLETING' || isFinal(status)) {
      terminal.err(`${oneLine(runId)} is ${status}: there is nothing to cancel any more.`);
      return status === 'CANCELLED' ? EXIT.done : EXIT.failed;
    }
    await deployment.requests.send({
      body: JSON.stringify({ cancel: { requestId: runId } }),
      groupId: messageGroup(runId),
      deduplicationId: createId(),
    });
    terminal.err(`Asked for the end of ${oneLine(runId)}. "lambda-agents result" shows when it is there.`);
    return EXIT.done;
  },
};
