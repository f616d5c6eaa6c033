import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';

export interface MinuteScheduleProps {
  readonly function: IFunction;
}

/** Calls a function once a minute. A missed call is not made up for: the next one does the same work. */
export class MinuteSchedule extends Construct {
  constructor(scope: Construct, id: string, props: MinuteScheduleProps) {
    super(scope, id);
    const account = Stack.of(this).account;
    const role = new Role(this, 'Role', {
      // Without the account, a schedule of a stranger could use the role.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    // Not the ready-made Lambda target: that also grants every version and alias.
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.function.functionArn] }),
    );
    const schedule = new CfnSchedule(this, 'Schedule', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: props.function.functionArn,
        roleArn: role.roleArn,
        // The default is 185 attempts in a day.
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
      },
    });
    // The role alone is not enough for the first call: it needs its policy too.
    schedule.node.addDependency(role);
  }
}
