import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { finding } from '../../../functions/agents/diff-report/finding.ts';
import { fileSummary } from '../../../functions/agents/diff-report/parsed-diff.ts';
import { createReport, report } from '../../../functions/agents/diff-report/report.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';
import { fiveThousandLines } from '../../fixtures/diffs/five-thousand-lines.ts';

const folder = new URL('../../fixtures/diffs/', import.meta.url);
const expectation = z.strictObject({
  summary: z.string(),
  files: z.array(fileSummary.strict()),
  findings: z.array(finding.omit({ message: true }).strict()),
});

const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.expected.json'))
  .map((name) => name.slice(0, -'.expected.json'.length));
const diffOf = (name: string) => (name === 'five-thousand-lines' ? fiveThousandLines() : read(`${name}.diff`));

describe('the report of a fixture diff', () => {
  it('has an expectation for each diff of the folder', () => {
    const diffs = readdirSync(folder).filter((name) => name.endsWith('.diff'));
    expect([...diffs.map((name) => name.slice(0, -'.diff'.length)), 'five-thousand-lines'].sort()).toEqual(
      names.sort(),
    );
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  it.each(names)('is as written by hand: %s', (name) => {
    const { summary, files, findings, omittedFindings } = createReport(parseUnifiedDiff(diffOf(name)));
    const withoutMessages = findings.map(({ message, ...rest }) => {
      expect(message).toMatch(/^.+\. .+\.$/s);
      return rest;
    });
    expect({ summary, files, findings: withoutMessages }).toEqual(
      expectation.parse(JSON.parse(read(`${name}.expected.json`))),
    );
    expect(omittedFindings).toBe(0);
  });

  it.each(names)('survives being stored as JSON: %s', (name) => {
    const made = createReport(parseUnifiedDiff(diffOf(name)));
    expect(report.parse(JSON.parse(JSON.stringify(made)))).toEqual(made);
  });

  it('shows no part of a secret but the public prefix of its format', () => {
    const text = JSON.stringify(createReport(parseUnifiedDiff(read('likely-secret.diff'))));
    for (const secret of ['hunter2', 'IOSFODNN7', 'correct-horse', 's3cr3t', 'bm90IGEga2V5', 'gone-for-good']) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('(AKIA****)');
  });
});
