import { codeReview } from './code-review.ts';
import { diffReport } from './diff-report.ts';

/** The agents that a deployment runs. */
export const agents = [codeReview, diffReport] as const;
