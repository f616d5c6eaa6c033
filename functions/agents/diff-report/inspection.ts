import { addedLines } from './added-lines.ts';
import { type Finding, findingOf, SEVERITIES } from './finding.ts';
import { findMixedEnding } from './line-endings.ts';
import { hasWhitespaceError, LINE_RULES } from './line-rules.ts';
import type { ParsedDiff, ParsedFile } from './parsed-diff.ts';
import { plural } from './plural.ts';

/** Above this many added and removed lines a diff is called very large: more than one sitting of careful reading. */
export const LARGE_CHANGE_LINES = 1_000;
/** As many findings as somebody will still read; the others are counted. */
export const MAX_FINDINGS = 200;

export interface Inspection {
  readonly findings: Finding[];
  /** How many findings were left out above the maximum. */
  readonly omittedFindings: number;
}

/** Looks for what should not be merged as it is. Findings stand in the order of the diff; the gravest are kept. */
export function inspectDiff(diff: ParsedDiff): Inspection {
  const all = [
    ...diff.problems.map(({ kind, message }) => findingOf(kind, message)),
    ...inspectSize(diff.files),
    ...diff.files.flatMap((file) => [...inspectFile(file), ...inspectLines(file)]),
  ];
  return { findings: gravest(all), omittedFindings: Math.max(0, all.length - MAX_FINDINGS) };
}

function inspectSize(files: readonly ParsedFile[]): Finding[] {
  const lines = files.reduce((sum, { added, removed }) => sum + added + removed, 0);
  if (lines <= LARGE_CHANGE_LINES) return [];
  const fact = `The diff changes ${plural(lines, 'line')} in ${plural(files.length, 'file')}.`;
  return [findingOf('large-change', `${fact} Split it into changes of at most ${LARGE_CHANGE_LINES} lines.`)];
}

function inspectFile({ path, status, binary, problems }: ParsedFile): Finding[] {
  const place = { file: path };
  const findings = problems.map((message) => findingOf('malformed-diff', message, place));
  if (status === 'combined') {
    const message = 'Compares a merge with all its parents. For what it brings to one of them, diff with that parent.';
    findings.push(findingOf('combined-diff', message, place));
  }
  if (binary && status !== 'deleted') {
    findings.push(findingOf('binary-file', 'A binary file changes. Look at it with a program of its kind.', place));
  }
  return findings;
}

function inspectLines(file: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  const whitespaceErrors: number[] = [];
  for (const { line, text } of addedLines(file)) {
    for (const { kind, check } of LINE_RULES) {
      const message = check(file.path, text);
      if (message) findings.push(findingOf(kind, message, { file: file.path, line }));
    }
    if (hasWhitespaceError(file.path, text)) whitespaceErrors.push(line);
  }
  findings.push(...inspectWhitespace(file, whitespaceErrors), ...inspectEndings(file));
  return findings.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

function inspectWhitespace({ path }: ParsedFile, [line, ...others]: readonly number[]): Finding[] {
  if (line === undefined) return [];
  const more = others.length > 0 ? `, as on ${plural(others.length, 'later line')}` : '';
  const message = `White space stands at the end or before a tab${more}. Let the editor remove it.`;
  return [findingOf('whitespace', message, { file: path, line })];
}

function inspectEndings(file: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  const mixed = findMixedEnding(file);
  if (mixed !== undefined) {
    const message = 'The line ends differently (CRLF or LF) from the rest of the file. Save the file with one ending.';
    findings.push(findingOf('mixed-line-endings', message, { file: file.path, line: mixed }));
  }
  if (file.unterminatedAt !== undefined && !file.unterminatedBefore) {
    const message = 'The file ends without a newline. Add one.';
    findings.push(findingOf('no-newline-at-end', message, { file: file.path, line: file.unterminatedAt }));
  }
  return findings;
}

function gravest(findings: readonly Finding[]): Finding[] {
  const kept = SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
  const chosen = new Set(kept.slice(0, MAX_FINDINGS));
  return findings.filter((finding) => chosen.has(finding));
}
