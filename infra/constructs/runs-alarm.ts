import { Aws, Duration } from 'aws-cdk-lib';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { TraceRecord } from '../../lib/ports/trace-record.ts';
import type { RunOutcome } from '../../lib/store/run-record.ts';
import { type AlarmProps, NotifyingAlarm } from './notifying-alarm.ts';

export interface RunsAlarmProps extends AlarmProps {
  /** The log group that the trace records of runs go to. */
  readonly logGroup: ILogGroup;
  readonly metricName: string;
  readonly problem: NonNullable<TraceRecord['problem_category']>;
  /** @default any or none */
  readonly outcome?: RunOutcome;
  /** What it means and what to do. */
  readonly runbook: string;
}

/** Counts the trace records that tell of a run in trouble, and says when there is one. */
export class RunsAlarm extends Construct {
  constructor(scope: Construct, id: string, props: RunsAlarmProps) {
    super(scope, id);
    const { logGroup, metricName, problem, outcome, runbook, alarmTopic } = props;
    const fields = {
      '$.record': 'trace',
      '$.entity_type': 'run',
      '$.problem_category': problem,
      ...(outcome ? { '$.entity_metadata.outcome': outcome } : {}),
    };
    const filter = new MetricFilter(this, 'Filter', {
      logGroup,
      filterPattern: FilterPattern.all(
        ...Object.entries(fields).map(([field, value]) => FilterPattern.stringValue(field, '=', value)),
      ),
      // Keeps two deployments in one account apart; a dimension could only come from a field of the record.
      metricNamespace: `LambdaAgents/${Aws.STACK_NAME}`,
      metricName,
      metricValue: '1',
    });
    new NotifyingAlarm(this, 'Alarm', {
      metric: filter.metric({ statistic: 'Sum', period: Duration.minutes(5) }),
      bound: { above: 0 },
      runbook,
      alarmTopic,
    });
  }
}
