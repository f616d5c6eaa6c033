import type { Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { parseArguments, takePositionals } from './parse-arguments.ts';
import { readTrace } from './read-trace.ts';
import { renderTraceTree } from './render-tree.ts';
import { buildTraceTree } from './trace-tree.ts';

const OPTIONS = { json: { type: 'boolean' } } as const;

/** `lambda-agents trace ID`. */
export const traceCommand: Command = {
  name: 'trace',
  summary: 'what happened in a run, as a tree',
  help: `Usage: lambda-agents trace ID [--json]

Shows what a run has recorded: its actions under those that started them, their durable calls and events, and its outputs.
An action that has not finished shows once it has recorded a call.

  --json   the tree as JSON, times in milliseconds since 1970`,
  async run(args, { terminal, now, openDeployment }) {
    const { values, positionals, choice } = parseArguments(args, OPTIONS);
    const [runId] = takePositionals(positionals, ['ID'] as const);
    const deployment = await openDeployment(choice);
    const tree = buildTraceTree(await readTrace(deployment, await findRun(deployment, runId)));
    terminal.out(values.json ? JSON.stringify(tree, null, 2) : renderTraceTree(tree, { ...terminal, now: now() }));
    return EXIT.done;
  },
};
