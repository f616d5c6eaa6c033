import type { RunRecord } from '../store/run-record.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { listRuns, type RunFilter } from './list-runs.ts';
import { parseArguments, positiveNumber, takePositionals } from './parse-arguments.ts';
import { formatAge, shorten } from './plain-text.ts';
import { describeStored, errorText } from './stored-error.ts';
import { renderTable } from './table.ts';

const OPTIONS = {
  failed: { type: 'boolean' },
  blocked: { type: 'boolean' },
  unfinished: { type: 'boolean' },
  limit: { type: 'string', default: '100' },
  json: { type: 'boolean' },
} as const;

/** Where the table is not cut to a terminal. */
const ERROR_LENGTH = 120;

/** `lambda-agents runs`. */
export const runsCommand: Command = {
  name: 'runs',
  summary: 'the runs that are unfinished or FAILED',
  help: `Usage: lambda-agents runs [--failed] [--blocked] [--unfinished] [--limit N] [--json]

Lists the runs that have not finished and those that are FAILED, newest first. Other finished runs are in the logs.

  --failed       only FAILED runs
  --blocked      only BLOCKED runs
  --unfinished   only runs that have not finished, BLOCKED ones included
  --limit N      at most so many (default 100)
  --json         as JSON, times in milliseconds since 1970`,
  async run(args, { terminal, now, openDeployment }) {
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    takePositionals(positionals, [] as const);
    const limit = Math.ceil(positiveNumber('--limit', values.limit));
    const deployment = await openDeployment(choice);
    const { runs, isCut } = await listRuns(deployment.items, filtersOf(values), limit);
    if (values.json) terminal.out(JSON.stringify(runs.map(toJson), null, 2));
    else if (runs.length > 0) terminal.out(toTable(runs, now(), terminal.columns));
    else terminal.err(`No such run in ${deployment.name}.`);
    if (isCut) terminal.err(`There are more than ${limit}. Raise --limit to see them.`);
    return EXIT.done;
  },
};

function filtersOf(values: { readonly [Filter in RunFilter]?: boolean | undefined }): readonly RunFilter[] {
  const given = (['failed', 'blocked', 'unfinished'] as const).filter((filter) => values[filter]);
  return given.length > 0 ? given : ['failed', 'unfinished'];
}

function toTable(runs: readonly RunRecord[], now: number, columns: number | undefined): string {
  const rows = runs.map((run) => [
    run.runId,
    run.agent,
    run.key ?? '',
    run.status,
    formatAge(now - run.createdAt),
    String(run.attempts),
    run.error === undefined ? '' : shorten(errorText(run.error), ERROR_LENGTH),
  ]);
  return renderTable(['ID', 'AGENT', 'KEY', 'STATUS', 'AGE', 'ATTEMPTS', 'LAST ERROR'], rows, columns);
}

const toJson = ({ runId, agent, key, status, attempts, redrives, hops, createdAt, error }: RunRecord) => ({
  runId,
  agent,
  ...(key === undefined ? {} : { key }),
  status,
  attempts,
  redrives,
  hops,
  createdAt,
  ...(error === undefined ? {} : { error: describeStored(error) }),
});
