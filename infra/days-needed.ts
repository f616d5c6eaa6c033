import type { AgentPlan } from '../lib/agent/plan.ts';
import { LONGEST_MESSAGE_LIFE } from './constructs/guarded-queue.ts';

/** For how many days data of the runs may be needed, by the most patient of the agents. */
export interface DaysNeeded {
  /** The record of a run: its greatest age, then its retention. Its log is kept as long. */
  readonly records: number;
  /** A payload: as long as the record, and as long as a message that a run has sent at its end and that refers to it. */
  readonly payloads: number;
}

export function daysNeeded(plans: Iterable<AgentPlan>): DaysNeeded {
  const days = Array.from(plans, ({ config }) => {
    const { 'run.max-age-days': age, 'run.retention-days': retention } = config;
    return { records: age + retention, payloads: age + Math.max(retention, LONGEST_MESSAGE_LIFE.toDays()) };
  });
  return {
    records: Math.max(...days.map(({ records }) => records)),
    payloads: Math.max(...days.map(({ payloads }) => payloads)),
  };
}
