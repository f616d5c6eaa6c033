import { RunStore } from '../store/run-store.ts';
import { type AwaitedRun, awaitRun, isSettled } from './await-run.ts';
import type { Command } from './command.ts';
import type { Deployment } from './deployment.ts';
import { parseArguments, positiveNumber, takePositionals } from './parse-arguments.ts';
import { showResult } from './show-result.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = { wait: { type: 'boolean' }, timeout: { type: 'string' } } as const;

/** `lambda-agents result ID`. */
export const resultCommand: Command = {
  name: 'result',
  summary: 'the outputs of a run as JSON',
  help: `Usage: lambda-agents result ID [--wait [--timeout SECONDS]]

Prints the outputs of a run as a JSON array, in the order in which the run finished its actions.

  --wait              wait until the run has ended or is BLOCKED
  --timeout SECONDS   wait no longer than this

Exit status: 0 COMPLETED; 1 FAILED, CANCELLED or BLOCKED (the error is on standard error); 2 not finished yet; 3 no such run.`,
  async run(args, context) {
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    const [runId] = takePositionals(positionals, ['ID'] as const);
    if (values.timeout !== undefined && !values.wait) throw new UsageError('--timeout is of use with --wait only.');
    const seconds = values.timeout === undefined ? undefined : positiveNumber('--timeout', values.timeout);
    const deployment = await context.openDeployment(choice);
    const awaited = values.wait
      ? await awaitRun({ deployment, runId, context, timeoutMillis: seconds && seconds * 1_000 })
      : await look(deployment, runId);
    return showResult(deployment, runId, awaited, context);
  },
};

async function look({ items }: Deployment, runId: string): Promise<AwaitedRun> {
  const run = await new RunStore(items).get(runId);
  if (run === undefined) return { kind: 'unknown' };
  return { kind: isSettled(run) ? 'settled' : 'unfinished', run };
}
