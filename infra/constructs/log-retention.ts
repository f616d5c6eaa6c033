import { RetentionDays } from 'aws-cdk-lib/aws-logs';

const CHOICES = Object.values(RetentionDays)
  .filter((value): value is RetentionDays => typeof value === 'number' && value !== RetentionDays.INFINITE)
  .sort((a, b) => a - b);

/** The shortest retention that CloudWatch Logs offers for so many days, ten years at most. */
export const logRetentionFor = (days: number): RetentionDays =>
  CHOICES.find((choice) => choice >= days) ?? RetentionDays.TEN_YEARS;
