import { join } from 'node:path';
import { localStackError } from '../lib/local/local-stack-error.ts';

/** A demo agent takes a diff; this one is sent first. */
export interface DemoAgent {
  readonly name: string;
  /** Its sample diff, relative to the project. */
  readonly sample: string;
}

const DEMOS: readonly DemoAgent[] = [
  { name: 'code_review', sample: join('functions', 'agents', 'code-review', 'sample.diff') },
  { name: 'diff_report', sample: join('functions', 'agents', 'diff-report', 'sample.diff') },
];

/** The demo that was asked for. @throws AgentError `LOCAL_STACK_FAILED` naming those that there are */
export function demoAgent(name: string = DEMOS[0]?.name ?? ''): DemoAgent {
  const demo = DEMOS.find((known) => known.name === name);
  if (demo) return demo;
  const names = DEMOS.map((known) => known.name).join(', ');
  throw localStackError(
    `There is no sample for an agent "${name}". Use one of ${names}, or send it a request of your own.`,
  );
}
