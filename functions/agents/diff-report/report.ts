import * as z from 'zod';
import type { TicketDraft } from '../remote/ticket-client.ts';
import { type Finding, finding, SEVERITIES } from './finding.ts';
import { type Inspection, inspectDiff } from './inspection.ts';
import { fileSummary, type ParsedDiff } from './parsed-diff.ts';
import { plural } from './plural.ts';

/** What the agent answers. */
export const report = z.object({
  summary: z.string(),
  files: z.array(fileSummary),
  findings: z.array(finding),
  omittedFindings: z.number().int().min(0),
  /** The ticket opened for the findings; a diff without findings has none. */
  ticket: z.url().optional(),
});

export type Report = z.infer<typeof report>;

/** Inspects a diff and sums it up. */
export function createReport(diff: ParsedDiff): Report {
  const inspection = inspectDiff(diff);
  const files = diff.files.map((file) => fileSummary.parse(file));
  return { summary: `${describeFiles(diff)} ${describeFindings(inspection)}`, files, ...inspection };
}

/** The ticket for a report with findings. */
export function ticketOf(report: Report): TicketDraft {
  return {
    title: `Diff report: ${describeFindings(report)}`,
    body: [report.summary, '', ...report.findings.map(findingLine)].join('\n'),
  };
}

function describeFiles({ files, problems }: ParsedDiff): string {
  if (problems.some(({ kind }) => kind === 'not-a-diff')) return 'The input is not a unified diff.';
  if (files.length === 0 && problems.length === 0) return 'The diff is empty.';
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `${plural(files.length, 'file')} changed, ${plural(added, 'line')} added, ${removed} removed.`;
}

const NOUNS = { error: 'error', warning: 'warning', info: 'notice' } as const;

function describeFindings({ findings, omittedFindings }: Inspection): string {
  const counts = SEVERITIES.map((severity) => ({
    noun: NOUNS[severity],
    count: findings.filter((found) => found.severity === severity).length,
  })).filter(({ count }) => count > 0);
  if (counts.length === 0) return 'No findings.';
  const omitted = omittedFindings > 0 ? ` and ${plural(omittedFindings, 'finding')} left out` : '';
  return `${counts.map(({ count, noun }) => plural(count, noun)).join(', ')}${omitted}.`;
}

function findingLine({ file, line, kind, severity, message }: Finding): string {
  const place = file === undefined ? 'diff' : line === undefined ? printable(file) : `${printable(file)}:${line}`;
  return `- ${severity} ${place} ${kind}: ${message}`;
}

// A quoted path may hold a line feed, which would look like another finding.
function printable(path: string): string {
  return path.replace(/\p{Cc}/gu, '?');
}
