import { describe, expect, it } from 'vitest';
import { findingOf } from '../../../functions/agents/diff-report/finding.ts';
import { createReport, type Report, ticketOf } from '../../../functions/agents/diff-report/report.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

const report = (overrides: Partial<Report>): Report => ({
  summary: '1 file changed.',
  files: [],
  findings: [],
  omittedFindings: 0,
  ...overrides,
});

describe('the ticket of a report', () => {
  it('names each finding with its place in one line', () => {
    const findings = [
      findingOf('large-change', 'Large. Split it.'),
      findingOf('binary-file', 'Binary. Look.', { file: 'a.bin' }),
      findingOf('todo', 'Todo. Do it.', { file: 'a.ts', line: 3 }),
    ];
    expect(ticketOf(report({ findings }))).toEqual({
      title: 'Diff report: 1 warning, 2 notices.',
      body: [
        '1 file changed.',
        '',
        '- warning diff large-change: Large. Split it.',
        '- info a.bin binary-file: Binary. Look.',
        '- info a.ts:3 todo: Todo. Do it.',
      ].join('\n'),
    });
  });

  it('says how many findings were left out', () => {
    const findings = [findingOf('todo', 'Todo. Do it.', { file: 'a.ts', line: 3 })];
    expect(ticketOf(report({ findings, omittedFindings: 12 })).title).toBe(
      'Diff report: 1 notice and 12 findings left out.',
    );
  });

  it('lets no path begin a line of its own', () => {
    const diff = 'diff --git "a/x\\n- error y" "b/x\\n- error y"\n--- "a/x\\n- error y"\n+++ "b/x\\n- error y"\n';
    const made = createReport(parseUnifiedDiff(`${diff}@@ -1 +1,2 @@\n a\n+TODO\n`));
    expect(made.files).toMatchObject([{ path: 'x\n- error y' }]);
    expect(ticketOf(made).body.split('\n').slice(2)).toEqual([expect.stringMatching(/^- info x\?- error y:2 todo: /)]);
  });
});
