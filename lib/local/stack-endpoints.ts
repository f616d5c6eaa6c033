/** Where the embedded services listen, all on 127.0.0.1. */
export interface StackEndpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  readonly sfn: string;
}
