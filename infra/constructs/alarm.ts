import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Construct } from 'constructs';
import type { AlarmProps } from './shared-props.ts';

export interface NotifyingAlarmProps extends AlarmProps {
  readonly metric: IMetric;
  /** The alarm goes off above this. */
  readonly above: number;
  /** What it means and what to do: the runbook line that arrives with the alarm. */
  readonly runbook: string;
  /** How many periods in a row. @default 1 */
  readonly periods?: number;
}

/** An alarm with its runbook line, sent to the stack's topic if there is one. */
export class NotifyingAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: NotifyingAlarmProps) {
    super(scope, id, {
      metric: props.metric,
      threshold: props.above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: props.periods ?? 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: props.runbook,
    });
    if (props.alarmTopic) this.addAlarmAction(new SnsAction(props.alarmTopic));
  }
}
