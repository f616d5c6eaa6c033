import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { SweepRunsEnv } from '../../functions/environment/sweep-runs-env.ts';
import type { GuardedQueue } from './guarded-queue.ts';
import { HandlerFunction, type HandlerProps } from './handler-function.ts';
import { MinuteSchedule } from './minute-schedule.ts';
import { NotifyingAlarm } from './notifying-alarm.ts';
import type { RunStore } from './run-store.ts';
import { queryIndex, sendMessages } from './statements.ts';

export interface SweepRunsProps extends HandlerProps {
  readonly store: RunStore;
  readonly wakes: GuardedQueue;
}

/** Wakes what is due, each minute. */
export class SweepRuns extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: SweepRunsProps) {
    super(scope, id);
    const { store, wakes } = props;
    this.handler = new HandlerFunction(this, 'Handler', {
      ...props,
      file: 'sweep-runs.ts',
      timeout: Duration.seconds(60),
      memorySize: 256,
      environment: {
        STORE_TABLE_NAME: store.table.tableName,
        STORE_INDEX_NAME: store.indexName,
        WAKE_QUEUE_URL: wakes.queue.queueUrl,
      } satisfies Record<keyof SweepRunsEnv, string>,
      statements: [queryIndex(store.table, store.indexName), sendMessages(wakes.queue)],
      // A sweep that waited is of no use: the next one does the same work.
      settings: { retryAttempts: 0, maxEventAge: Duration.minutes(1) },
    });
    const schedule = new MinuteSchedule(this, 'Schedule', { function: this.handler.function });
    const alarm = new NotifyingAlarm(this, 'NoSweepsAlarm', {
      metric: this.handler.function.metricInvocations({ period: Duration.minutes(5) }),
      bound: { below: 1 },
      periods: 2,
      runbook:
        'No sweep for ten minutes: killed drives and lost wakes are not noticed. Look whether the schedule is enabled and its role may call the function. It is normal for some minutes after the stack was created.',
      alarmTopic: props.alarmTopic,
    });
    alarm.node.addDependency(schedule);
  }
}
