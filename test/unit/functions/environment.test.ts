import { describe, expect, it } from 'vitest';
import { parseAcceptRequestsEnv } from '../../../functions/environment/accept-requests-env.ts';
import { parseAwsServices } from '../../../functions/environment/aws-services.ts';
import { parseSweepRunsEnv } from '../../../functions/environment/sweep-runs-env.ts';

const accepting = {
  STORE_TABLE_NAME: 'runs',
  STORE_INDEX_NAME: 'due',
  WAKE_QUEUE_URL: 'https://queues.test/wakes',
  DEAD_LETTER_QUEUE_URL: 'https://queues.test/dead',
  PAYLOAD_BUCKET_NAME: 'payloads',
  DEPLOYMENT_CONFIG: '{"run.max-attempts":3}',
};

describe("a function's environment", () => {
  it('gives what the stack passed, the configuration as an object, and nothing else', () => {
    expect(parseAcceptRequestsEnv({ ...accepting, HOME: '/' })).toEqual({
      ...accepting,
      DEPLOYMENT_CONFIG: { 'run.max-attempts': 3 },
    });
  });

  it('names everything that is missing, and the remedy', () => {
    expect(() => parseSweepRunsEnv({ STORE_TABLE_NAME: '', STORE_INDEX_NAME: 'due' })).toThrow(
      expect.objectContaining({
        code: 'INVALID_ENVIRONMENT',
        message: expect.stringMatching(/sweep-runs.*Deploy the stack again.*STORE_TABLE_NAME.*WAKE_QUEUE_URL/s),
      }),
    );
  });

  it.each(['', 'no JSON', '17', '[]', 'null'])('refuses the configuration %j', (text) => {
    expect(() => parseAcceptRequestsEnv({ ...accepting, DEPLOYMENT_CONFIG: text })).toThrow(/not a JSON object/);
  });
});

describe('where AWS is', () => {
  it('is left to the SDK when no endpoint is set', () => {
    expect(parseAwsServices({ AWS_REGION: 'eu-west-1' })).toEqual({ region: 'eu-west-1', endpoints: {} });
  });

  it('is the endpoint of the service, else the one for all', () => {
    const set = {
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: 'http://all.test',
      AWS_ENDPOINT_URL_SQS: 'http://sqs.test',
    };
    expect(parseAwsServices(set).endpoints).toEqual({
      dynamodb: 'http://all.test',
      sqs: 'http://sqs.test',
      s3: 'http://all.test',
      sfn: 'http://all.test',
    });
  });
});
