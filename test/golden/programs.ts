import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentDefinition } from 'lambda-agents';
import { codeReview } from '../../functions/agents/code-review.ts';
import { diffReport } from '../../functions/agents/diff-report.ts';
import { CALL_PROGRAMS } from './call-programs.ts';
import type { CreateProgram, GoldenProgram } from './golden-program.ts';
import { REMOTE_PROGRAMS } from './remote-programs.ts';
import { RUN_PROGRAMS } from './run-programs.ts';

/** The diff that the demo's journal began with, whatever its sample is today. */
const inputOf = (demo: string): string => readFileSync(join(import.meta.dirname, `inputs/${demo}.diff`), 'utf8');

const demo = (agent: AgentDefinition, folder: string): GoldenProgram => ({
  agent,
  requests: [{ body: { agent: agent.name, requestId: 'r', key: 'pr-7', input: { diff: inputOf(folder) } } }],
});

/** What the golden journals were recorded with. */
export const PROGRAMS: Readonly<Record<string, CreateProgram>> = {
  ...CALL_PROGRAMS,
  ...RUN_PROGRAMS,
  ...REMOTE_PROGRAMS,
  diff_report: () => demo(diffReport, 'diff-report'),
  code_review: () => demo(codeReview, 'code-review'),
};
