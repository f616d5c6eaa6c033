import type { StackEndpoints } from './stack-endpoints.ts';

export interface LambdaEnvironmentOptions {
  readonly functionName: string;
  readonly handler: string;
  readonly taskRoot: string;
  readonly memoryMegabytes: number;
  readonly region: string;
  readonly endpoints: StackEndpoints;
  /** The template's variables and those of whoever started the stack; they win. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What a function finds in its environment: Lambda's own variables, pointed at this machine, and the given ones. */
export function lambdaEnvironment(options: LambdaEnvironmentOptions): Readonly<Record<string, string>> {
  const { functionName, region, endpoints } = options;
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    _HANDLER: options.handler,
    LAMBDA_TASK_ROOT: options.taskRoot,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    // Any credentials do: the embedded services do not check signatures, but the SDK will not send without one.
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'local',
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(options.memoryMegabytes),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SFN: endpoints.sfn,
    ...options.variables,
  };
}
