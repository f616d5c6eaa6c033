import { styleText } from 'node:util';
import { describeWaits, kindAndName, untilText } from './pending-waits.ts';
import { formatDuration, oneLine, shorten } from './plain-text.ts';
import type { ErrorLine } from './stored-error.ts';
import type { TraceAction, TraceCall, TraceEvent, TraceRun, TraceTree } from './trace-model.ts';

export interface RenderOptions {
  /** @default false */
  readonly colour?: boolean;
  /** Longest line in characters. @default lines are not cut */
  readonly columns?: number | undefined;
  /** From which the times to come are counted, milliseconds since 1970. @default they are given without */
  readonly now?: number;
}

/** A line and what stands under it. */
interface Branch {
  readonly label: string;
  /** Colour of the whole line. */
  readonly style?: 'red' | 'yellow' | 'dim';
  readonly children: readonly Branch[];
}

/** The tree as text with box characters, for a terminal or a file. */
export function renderTraceTree(tree: TraceTree, { colour = false, columns, now }: RenderOptions = {}): string {
  const { run } = tree;
  const branches: Branch[] = [
    ...tree.actions.map((action) => actionBranch(action, run, now)),
    ...tree.unplaced.map((action) => actionBranch(action, run, now)),
  ];
  const lines: { readonly text: string; readonly style?: Branch['style'] }[] = runLines(run, now);
  const add = (children: readonly Branch[], indent: string): void => {
    children.forEach(({ label, style, children: below }, index) => {
      const isLast = index === children.length - 1;
      lines.push({ text: `${indent}${isLast ? '└─' : '├─'} ${label}`, style });
      add(below, `${indent}${isLast ? '   ' : '│  '}`);
    });
  };
  add(branches, '');
  return lines
    .map(({ text, style }) => {
      const line = columns === undefined ? text : shorten(text, columns);
      return colour && style ? styleText(style, line, { validateStream: false }) : line;
    })
    .join('\n');
}

function runLines(run: TraceRun, now: number | undefined): { text: string; style?: Branch['style'] }[] {
  const { runId, agent, key, status, attempts, redrives, hops, createdAt, lastRecordAt, dueAt, error, input } = run;
  const { waitsFor = [] } = run;
  const isBad = status === 'FAILED' || status === 'CANCELLED' || status === 'BLOCKED';
  // A run that goes on, or was cancelled, shows what its last failed attempt threw.
  const ended = status === 'FAILED' || status === 'BLOCKED';
  const taken =
    lastRecordAt === undefined
      ? 'nothing recorded yet'
      : `last record after ${formatDuration(lastRecordAt - createdAt)}`;
  const due = dueAt === undefined ? '' : `, looked at again at ${time(dueAt)}`;
  return [
    { text: `run ${oneLine(runId)}  ${status}`, ...(isBad ? { style: status === 'BLOCKED' ? 'yellow' : 'red' } : {}) },
    {
      text: `agent ${agent}${key === undefined ? '' : `, key ${oneLine(key)}`}, attempts ${attempts}, redrives ${redrives}, hops ${hops}`,
    },
    { text: `began ${time(createdAt)}, ${taken}${due}`, style: 'dim' },
    ...(waitsFor.length === 0 ? [] : [{ text: `waits for ${describeWaits(waitsFor, now)}`, style: 'yellow' as const }]),
    ...(error === undefined
      ? []
      : [{ text: `${ended ? '' : 'last error '}${errorLabel(error)}`, style: 'red' as const }]),
    ...(input === undefined ? [] : [{ text: `input ${input}` }]),
  ];
}

function actionBranch(action: TraceAction, run: TraceRun, now: number | undefined): Branch {
  const { name, status, trigger, startedAt, durationMillis, events, calls, actions } = action;
  const isFinished = status === 'FINISHED';
  const unreadable = isFinished && events === undefined ? [{ label: 'its events cannot be read', children: [] }] : [];
  const label = [
    `${name}${trigger === undefined ? '' : ` on ${oneLine(trigger.type)}`}`,
    ...(isFinished ? [] : ['UNFINISHED']),
    ...(startedAt === undefined ? [] : [offset(startedAt, run)]),
    ...(durationMillis === undefined ? [] : [formatDuration(durationMillis)]),
  ].join('  ');
  return {
    label,
    ...(isFinished ? {} : { style: 'yellow' }),
    children: [
      ...calls.map((call) => callBranch(call, run, isFinished ? 'left' : now)),
      ...(events ?? []).map(eventBranch),
      ...unreadable,
      ...actions.map((child) => actionBranch(child, run, now)),
    ],
  };
}

/** @param now `left`: the action has finished, and waits for nothing any more */
function callBranch(call: TraceCall, run: TraceRun, now: number | 'left' | undefined): Branch {
  const { id, occurrence, kind, status, startedAt, durationMillis, until, error } = call;
  const isPending = status === 'PENDING' && now !== 'left';
  const label = [
    `${kindAndName(kind, id)}${occurrence === 1 ? '' : ` (${occurrence})`}`,
    status === 'PENDING' && now === 'left' ? 'LEFT' : status,
    offset(startedAt, run),
    ...(isPending && until !== undefined ? [untilText(until, now)] : []),
    ...(durationMillis === undefined ? [] : [formatDuration(durationMillis)]),
    ...(error === undefined ? [] : [errorLabel(error)]),
  ].join('  ');
  const style = status === 'FAILED' ? 'red' : isPending ? 'yellow' : undefined;
  return { label, ...(style === undefined ? {} : { style }), children: [] };
}

const eventBranch = ({ type, isOutput, preview }: TraceEvent): Branch => ({
  label: isOutput ? `output ${preview}` : `sent ${oneLine(type)} ${preview}`,
  children: [],
});

const errorLabel = ({ name, message }: ErrorLine): string => oneLine(`${name}: ${message}`);
const offset = (startedAt: number, { createdAt }: TraceRun): string => `+${formatDuration(startedAt - createdAt)}`;
const time = (millis: number): string => new Date(millis).toISOString();
