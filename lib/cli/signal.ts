import { parseRequest } from '../runner/accept/request-message.ts';
import { isFinal } from '../store/run-record.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { messageGroup } from './message-group.ts';
import { parseArguments, takePositionals } from './parse-arguments.ts';
import { describeWaits, readWaits } from './pending-waits.ts';
import { oneLine } from './plain-text.ts';
import { countSources, readJson } from './read-json.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = { value: { type: 'string' }, 'value-file': { type: 'string' } } as const;

/** `lambda-agents signal ID NAME`. */
export const signalCommand: Command = {
  name: 'signal',
  summary: 'tells a run something that it waits for',
  help: `Usage: lambda-agents signal ID NAME [--value JSON | --value-file FILE | -]

Sends the signal NAME to a run. One that the run does not wait for yet is kept until it does. "-" reads the value from standard
input.

  --value JSON         what the run gets (default: null)
  --value-file FILE    a file with it as JSON`,
  async run(args, context) {
    const { terminal } = context;
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    const [runId, name] = takePositionals(
      positionals.filter((positional) => positional !== '-'),
      ['ID', 'NAME'] as const,
    );
    const source = { json: values.value, file: values['value-file'], fromStdin: positionals.includes('-') };
    const value = countSources(source) === 0 ? {} : { value: await readJson({ name: 'value', ...source }, context) };
    const body = bodyOf({ requestId: runId, name, ...value });
    const deployment = await context.openDeployment(choice);
    const run = await findRun(deployment, runId);
    if (run.status === 'COMPLETING' || isFinal(run.status)) {
      terminal.err(`${oneLine(runId)} is ${run.status}: a signal changes nothing any more.`);
      return EXIT.failed;
    }
    const waits = await readWaits(deployment.items, run);
    await deployment.requests.send({ body, groupId: messageGroup(runId), deduplicationId: context.createId() });
    terminal.err(`Sent signal ${JSON.stringify(name)} to ${oneLine(runId)}.`);
    if (!waits.some((wait) => wait.kind === 'signal' && wait.name === name)) {
      const now = waits.length === 0 ? run.status : `waiting for ${describeWaits(waits, context.now())}`;
      terminal.err(`It is ${now}, and gets the signal when it waits for it.`);
    }
    return EXIT.done;
  },
};

/** @throws UsageError for what would be refused whatever the deployment is */
function bodyOf(signal: { readonly requestId: string; readonly name: string; readonly value?: unknown }): string {
  const body = JSON.stringify({ signal });
  const parsed = parseRequest(body);
  if (parsed.kind === 'refused') throw new UsageError(parsed.detail);
  return body;
}
