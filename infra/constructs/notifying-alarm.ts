import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** Where alarms go. */
export interface AlarmProps {
  /** @default the alarm only shows its state */
  readonly alarmTopic?: ITopic | undefined;
}

export interface NotifyingAlarmProps extends AlarmProps {
  readonly metric: IMetric;
  /** Where it goes off. With `below`, no data at all counts as below: nothing reports from what has stopped. */
  readonly bound: { readonly above: number } | { readonly below: number };
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
      ...comparison(props.bound),
      evaluationPeriods: props.periods ?? 1,
      alarmDescription: props.runbook,
    });
    if (props.alarmTopic) this.addAlarmAction(new SnsAction(props.alarmTopic));
  }
}

const comparison = (bound: NotifyingAlarmProps['bound']) =>
  'above' in bound
    ? {
        threshold: bound.above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }
    : {
        threshold: bound.below,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      };
