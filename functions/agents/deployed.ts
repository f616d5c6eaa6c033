import { diffReport } from './diff-report.ts';

/** The agents that a deployment runs. */
export const agents = [diffReport] as const;
