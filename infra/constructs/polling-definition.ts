import { Aws } from 'aws-cdk-lib';

/** What Lambda throws when nothing is wrong with the function, what one that is killed or throttled looks like, and what it throws itself: a store that did not answer. */
const PASSING_ERRORS = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  'States.TaskFailed',
];

/** Wait, probe, again: three transitions a round. The function says for how long, and when it is done. */
export const pollingDefinition = (functionArn: string) => ({
  Comment: 'Asks remote services how far their jobs are.',
  StartAt: 'WaitForNextRound',
  States: {
    WaitForNextRound: { Type: 'Wait', SecondsPath: '$.waitSeconds', Next: 'PollSubagents' },
    PollSubagents: {
      Type: 'Task',
      Resource: `arn:${Aws.PARTITION}:states:::lambda:invoke`,
      Parameters: { FunctionName: functionArn, 'Payload.$': '$' },
      OutputPath: '$.Payload',
      Retry: [{ ErrorEquals: PASSING_ERRORS, IntervalSeconds: 2, MaxAttempts: 3, BackoffRate: 2 }],
      Next: 'IsDone',
    },
    IsDone: {
      Type: 'Choice',
      Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Done' }],
      Default: 'WaitForNextRound',
    },
    Done: { Type: 'Succeed' },
  },
});
