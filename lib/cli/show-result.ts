import { readResults } from '../runner/end/end-run.ts';
import { JournalStore } from '../store/journal-store.ts';
import { Payloads } from '../store/payloads.ts';
import type { RunRecord } from '../store/run-record.ts';
import { decodeValue } from '../values/value-codec.ts';
import { type AwaitedRun, describeState } from './await-run.ts';
import type { CommandContext } from './command.ts';
import type { Deployment } from './deployment.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { unknownRun } from './find-run.ts';
import { manyLines, oneLine } from './plain-text.ts';
import { errorText } from './stored-error.ts';

/** Shows where a run stands: outputs as JSON on standard output once it has ended, everything else on standard error. */
export async function showResult(
  deployment: Deployment,
  runId: string,
  awaited: AwaitedRun,
  { terminal, now }: CommandContext,
): Promise<ExitCode> {
  switch (awaited.kind) {
    case 'unknown':
      throw unknownRun(deployment, runId);
    case 'refused':
      terminal.err(`The request was refused. ${manyLines(awaited.why)}`);
      return EXIT.failed;
    case 'unfinished':
      terminal.err(`${oneLine(runId)} has not finished: ${await describeState(deployment, awaited.run, now())}`);
      return EXIT.unfinished;
    case 'settled': {
      const { run } = awaited;
      if (run.status !== 'BLOCKED') {
        terminal.out(JSON.stringify(await readOutputs(deployment, run), null, 2));
      }
      if (run.status === 'COMPLETED') return EXIT.done;
      // A cancelled run may still carry the error of an attempt before; that is not why it ended.
      const error = run.status === 'CANCELLED' || run.error === undefined ? '' : ` ${manyLines(errorText(run.error))}`;
      terminal.err(`${oneLine(runId)} is ${run.status}.${error}`);
      return EXIT.failed;
    }
  }
}

/** Payloads of the outputs, in the order in which the run finished its actions. */
async function readOutputs({ items, payloads }: Deployment, run: RunRecord): Promise<readonly unknown[]> {
  // Nothing is saved here, so no limit applies.
  const stored = new Payloads(payloads, run.runId, Number.POSITIVE_INFINITY);
  const { journal } = await new JournalStore(items, run.runId, run.ttl).read();
  const { outputs } = await readResults(run, journal, stored);
  return outputs.map(({ text }) => (decodeValue(text) as { readonly output: unknown }).output);
}
