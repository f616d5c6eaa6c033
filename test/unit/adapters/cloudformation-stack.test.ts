import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readStackOutputs } from '../../../lib/adapters/cloudformation-stack.ts';
import { openScriptedServer, type ScriptedServer, type ServiceReply } from './support/scripted-server.ts';

let server: ScriptedServer | undefined;
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

async function read(reply: ServiceReply) {
  server = await openScriptedServer([() => reply]);
  return readStackOutputs('Agents', { region: 'eu-central-1', endpoint: server.endpoint });
}

const answer = (stacks: string): ServiceReply => ({
  body: `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stacks}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
});

const refusal = (code: string, message: string): ServiceReply => ({
  status: 400,
  body: `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
});

it('gives the outputs by name', async () => {
  const output = (name: string, value: string) =>
    `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`;
  const outputs = await read(
    answer(`<member><Outputs>${output('TableName', 't')}${output('WakeQueueUrl', 'u')}</Outputs></member>`),
  );
  expect(outputs).toEqual({ TableName: 't', WakeQueueUrl: 'u' });
  expect(server?.requests[0]?.body).toMatch(
    /Action=DescribeStacks.*StackName=Agents|StackName=Agents.*Action=Describe/,
  );
});

it('gives none of a stack that has none yet', async () => {
  expect(await read(answer('<member><StackName>Agents</StackName></member>'))).toEqual({});
});

it('says where the stack is missing', async () => {
  await expect(read(refusal('ValidationError', 'Stack with id Agents does not exist'))).rejects.toMatchObject({
    code: 'STACK_NOT_FOUND',
    message: expect.stringMatching(/^There is no stack "Agents" in eu-central-1\. Name another with --stack/),
  });
});

it('leaves every other failure as it is', async () => {
  await expect(read(refusal('AccessDenied', 'not authorized'))).rejects.toMatchObject({
    name: 'AccessDenied',
    message: 'not authorized',
  });
});
