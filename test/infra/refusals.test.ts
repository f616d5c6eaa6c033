import { Duration } from 'aws-cdk-lib';
import { defineAgent, EventType } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import type { AgentStackProps } from '../../infra/agent-stack-props.ts';
import { AgentError } from '../../lib/errors/agent-error.ts';
import { echo, synthStack } from './synth-stack.ts';

const refusal = (props: Partial<AgentStackProps>): AgentError => {
  try {
    synthStack(props);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
};

describe('synth', () => {
  it('refuses agents that could not run, with the message of the plan', () => {
    expect(refusal({ agents: [echo, echo] })).toMatchObject({
      code: 'DUPLICATE_AGENT',
      message: 'Two agents are named "echo". Rename one of them.',
    });
    expect(refusal({ agents: [] })).toMatchObject({ code: 'INVALID_AGENT' });
    const silent = defineAgent({ name: 'silent' }).addAction('again', EventType.InputEvent, () => {});
    expect(refusal({ agents: [silent.addAction('again', EventType.InputEvent, () => {})] }).message).toMatch(
      /"silent" defines action "again" twice\. Rename/,
    );
  });

  it('refuses a configuration that the functions would refuse', () => {
    const config = { 'run.max-atempts': 3 } as object;
    expect(refusal({ config })).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('run.max-attempts'),
    });
  });

  it.each<[string, AgentStackProps['runAgent'], RegExp]>([
    ['a time too short for a durable call', { timeout: Duration.seconds(59) }, /timeout is 59.*60 to 900/],
    ['a time above that of Lambda', { timeout: Duration.minutes(16) }, /timeout is 960.*60 to 900/],
    ['too little memory', { memorySize: 64 }, /memorySize is 64.*128 to 10240/],
    ['a concurrency of one', { maxConcurrency: 1 }, /maxConcurrency is 1.*2 to 1000/],
    ['a variable of the stack itself', { environment: { WAKE_QUEUE_URL: 'x' } }, /WAKE_QUEUE_URL.*Rename/],
    [
      'a variable of Lambda itself',
      { environment: { AWS_REGION: 'x' } },
      /AWS_REGION, which Lambda sets.*Leave it out/,
    ],
    [
      'a name that Lambda does not take',
      { environment: { 'MY-URL': 'x' } },
      /MY-URL, which Lambda does not take.*Begin/,
    ],
    ['more variables than Lambda has room for', { environment: { LONG: 'x'.repeat(3_100) } }, /bytes.*3072.*Move/],
  ])('refuses %s, with the fact and the remedy', (_name, runAgent, message) => {
    expect(refusal({ runAgent: runAgent ?? {} })).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
    });
  });
});
