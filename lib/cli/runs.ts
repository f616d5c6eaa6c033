import type { ItemStore } from '../ports/item-store.ts';
import type { RunRecord } from '../store/run-record.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { listRuns, type RunFilter } from './list-runs.ts';
import { parseArguments, positiveNumber, takePositionals } from './parse-arguments.ts';
import { describeWaits, type PendingWait, readWaits } from './pending-waits.ts';
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
const NOTE_LENGTH = 120;
/** Journals read at once. */
const PARALLEL_READS = 20;

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
    const listed = await withWaits(deployment.items, runs);
    if (values.json) terminal.out(JSON.stringify(listed.map(toJson), null, 2));
    else if (runs.length > 0) terminal.out(toTable(listed, now(), terminal.columns));
    else terminal.err(`No such run in ${deployment.name}.`);
    if (isCut) terminal.err(`There are more than ${limit}. Raise --limit to see them.`);
    return EXIT.done;
  },
};

function filtersOf(values: { readonly [Filter in RunFilter]?: boolean | undefined }): readonly RunFilter[] {
  const given = (['failed', 'blocked', 'unfinished'] as const).filter((filter) => values[filter]);
  return given.length > 0 ? given : ['failed', 'unfinished'];
}

interface ListedRun {
  readonly run: RunRecord;
  /** What it waits for when it is suspended. */
  readonly waits: readonly PendingWait[];
}

function toTable(runs: readonly ListedRun[], now: number, columns: number | undefined): string {
  const rows = runs.map(({ run, waits }) => [
    run.runId,
    run.agent,
    run.key ?? '',
    run.status,
    formatAge(now - run.createdAt),
    String(run.attempts),
    shorten(describeWaits(waits, now) || errorOf(run), NOTE_LENGTH),
  ]);
  return renderTable(['ID', 'AGENT', 'KEY', 'STATUS', 'AGE', 'ATTEMPTS', 'WAITS FOR, LAST ERROR'], rows, columns);
}

const errorOf = ({ error }: RunRecord): string => (error === undefined ? '' : errorText(error));

function toJson({ run, waits }: ListedRun) {
  const { runId, agent, key, status, attempts, redrives, hops, createdAt, error } = run;
  return {
    runId,
    agent,
    ...(key === undefined ? {} : { key }),
    status,
    attempts,
    redrives,
    hops,
    createdAt,
    ...(waits.length === 0 ? {} : { waitsFor: waits }),
    ...(error === undefined ? {} : { error: describeStored(error) }),
  };
}

/** Reads the journals of the suspended ones, some at once. */
async function withWaits(items: ItemStore, runs: readonly RunRecord[]): Promise<readonly ListedRun[]> {
  const listed: ListedRun[] = [];
  for (let start = 0; start < runs.length; start += PARALLEL_READS) {
    const some = runs.slice(start, start + PARALLEL_READS);
    listed.push(...(await Promise.all(some.map(async (run) => ({ run, waits: await readWaits(items, run) })))));
  }
  return listed;
}
