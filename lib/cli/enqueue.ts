import { parseRequest } from '../runner/accept/request-message.ts';
import { RunStore } from '../store/run-store.ts';
import { digestJson } from '../values/digest.ts';
import { awaitRun } from './await-run.ts';
import type { Command, CommandContext } from './command.ts';
import { findRefusal } from './dead-letters.ts';
import type { Deployment } from './deployment.ts';
import { EXIT } from './exit-code.ts';
import { messageGroup } from './message-group.ts';
import { parseArguments, positiveNumber, takePositionals } from './parse-arguments.ts';
import { readJson } from './read-json.ts';
import { showResult } from './show-result.ts';
import { UsageError } from './usage-error.ts';

const OPTIONS = {
  input: { type: 'string' },
  'input-file': { type: 'string' },
  key: { type: 'string' },
  'request-id': { type: 'string' },
  wait: { type: 'boolean' },
  timeout: { type: 'string' },
} as const;

const HELP = `Usage: lambda-agents enqueue AGENT (--input JSON | --input-file FILE | -) [options]

Sends a request to an agent and prints its id. "-" reads the input from standard input.

  --input JSON         the input
  --input-file FILE    a file with the input as JSON
  --key KEY            runs of one agent and key go one after the other, in the order of their requests
  --request-id ID      the id of the request and of its run (default: a new one); the same again starts no second run
  --wait               wait for the end and show the outputs, with the exit status of "result"; the id is on standard error then
  --timeout SECONDS    wait no longer than this`;

interface Request {
  readonly agent: string;
  readonly key?: string;
  readonly requestId: string;
  readonly input: unknown;
}

/** `lambda-agents enqueue AGENT`. */
export const enqueueCommand: Command = {
  name: 'enqueue',
  summary: 'sends a request to an agent',
  help: HELP,
  async run(args, context) {
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    const fromStdin = positionals.includes('-');
    const [agent] = takePositionals(
      positionals.filter((positional) => positional !== '-'),
      ['AGENT'] as const,
    );
    if (values.timeout !== undefined && !values.wait) throw new UsageError('--timeout is of use with --wait only.');
    const seconds = values.timeout === undefined ? undefined : positiveNumber('--timeout', values.timeout);
    const { 'request-id': givenId, key } = values;
    const request = {
      agent,
      ...(key === undefined ? {} : { key }),
      requestId: givenId ?? context.createId(),
      input: await readJson({ name: 'input', json: values.input, file: values['input-file'], fromStdin }, context),
    };
    const body = bodyOf(request);
    const deployment = await context.openDeployment(choice);
    if (givenId !== undefined) await refuseOtherRequest(deployment, request, context);
    const messageId = await deployment.requests.send({
      body,
      groupId: messageGroup(key ?? request.requestId),
      deduplicationId: context.createId(),
    });
    if (!values.wait) {
      context.terminal.out(request.requestId);
      return EXIT.done;
    }
    const runId = request.requestId;
    context.terminal.err(`${runId}: sent`);
    const awaited = await awaitRun({
      deployment,
      runId,
      context,
      timeoutMillis: seconds && seconds * 1_000,
      findRefusal: () => findRefusal(deployment.deadLetters, messageId),
    });
    return showResult(deployment, runId, awaited, context);
  },
};

/** @throws UsageError for what would be refused whatever the deployment is */
function bodyOf(request: Request): string {
  const body = JSON.stringify(request);
  const parsed = parseRequest(body);
  if (parsed.kind === 'refused') throw new UsageError(parsed.detail);
  return body;
}

/** The id may belong to an older request; what that one led to must not be taken for the answer to this one. */
async function refuseOtherRequest(
  { items }: Deployment,
  { requestId, agent, key, input }: Request,
  { now }: CommandContext,
): Promise<void> {
  const run = await new RunStore(items).get(requestId);
  // An expired record does not count: the request starts anew.
  if (run === undefined || run.ttl * 1_000 < now() || run.digest === digestJson({ agent, key, input })) return;
  throw new UsageError(
    `The request id ${JSON.stringify(requestId)} belongs to a request with another agent, key or input. Leave --request-id out, or give another one.`,
  );
}
