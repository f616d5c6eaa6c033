import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../lib/cli/describe-failure.ts';
import { UsageError } from '../../../lib/cli/usage-error.ts';
import { AgentError } from '../../../lib/errors/agent-error.ts';
import { openScriptedServer } from '../adapters/support/scripted-server.ts';

const named = (name: string, message: string, more: object = {}) => Object.assign(new Error(message), { name }, more);

describe('describeFailure', () => {
  it.each([
    [new UsageError('x'), 64, 'x'],
    [new AgentError('UNKNOWN_RUN', 'x'), 3, 'x'],
    [new AgentError('PAYLOAD_TOO_LARGE', 'x'), 64, 'x'],
    [new AgentError('STACK_NOT_FOUND', 'x'), 69, 'x'],
    [
      named('CredentialsProviderError', 'Could not load credentials'),
      69,
      'No AWS credentials were found: Could not load',
    ],
    [new Error('Region is missing'), 69, 'No AWS region is set. Give --region'],
    [
      named('AccessDeniedException', 'not authorized to perform x'),
      69,
      'AWS denies access: not authorized to perform x.',
    ],
    [
      named('ExpiredTokenException', 'expired.'),
      69,
      'AWS does not take the credentials (ExpiredTokenException): expired. Sign',
    ],
    [named('QueueDoesNotExist', ''), 69, 'A part of the deployment is gone (QueueDoesNotExist): no reason was given.'],
    [named('InternalError', 'oops', { $metadata: {} }), 69, 'AWS answered InternalError: oops. Try again'],
    [
      named('Error', 'connect ECONNREFUSED ::1:1', { code: 'ECONNREFUSED' }),
      69,
      'There is no connection: connect ECONNREFUSED',
    ],
    [new AggregateError([named('Error', 'refused', { code: 'ECONNREFUSED' })]), 69, 'There is no connection: refused.'],
    [
      new Error('x', { cause: named('Error', 'not found', { code: 'ENOTFOUND' }) }),
      69,
      'There is no connection: not found.',
    ],
    [named('TimeoutError', 'too late'), 69, 'There is no connection: too late.'],
  ])('%o', (error, exitCode, message) => {
    const failure = describeFailure(error);
    expect(failure?.exitCode).toBe(exitCode);
    expect(failure?.message.slice(0, message.length)).toBe(message);
  });

  it.each([[new TypeError('x')], ['x'], [undefined]])('leaves a bug to its stack: %o', (error) => {
    expect(describeFailure(error)).toBeUndefined();
  });
});

describe('what the SDK really throws', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const send = async (options: ConstructorParameters<typeof SQSClient>[0]) => {
    const client = new SQSClient({ maxAttempts: 1, ...options });
    const command = new SendMessageCommand({ QueueUrl: 'http://127.0.0.1/1/q', MessageBody: 'x' });
    return client.send(command).then(
      () => undefined,
      (error: unknown) => describeFailure(error)?.message,
    );
  };

  it('is told when nobody listens', async () => {
    const server = await openScriptedServer([]);
    await server.close();
    const options = { region: 'us-east-1', credentials, endpoint: server.endpoint, useQueueUrlAsEndpoint: false };
    expect(await send(options)).toMatch(/^There is no connection: .*ECONNREFUSED.*Check the network/);
  });

  it('is told when access is denied', async () => {
    const body = JSON.stringify({ __type: 'com.amazonaws.sqs#AccessDenied', message: 'No access to the resource' });
    const server = await openScriptedServer([() => ({ status: 403, body })]);
    const options = { region: 'us-east-1', credentials, endpoint: server.endpoint, useQueueUrlAsEndpoint: false };
    expect(await send(options)).toMatch(/^AWS denies access: No access to the resource\./);
    await server.close();
  });
});
