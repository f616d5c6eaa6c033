import fc from 'fast-check';
import { AgentError, type ConfigInput } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../lib/agent/config.ts';

const refusal = (...inputs: readonly unknown[]): AgentError => {
  try {
    resolveConfig('The configuration of agent "a"', ...(inputs as readonly ConfigInput[]));
  } catch (error) {
    expect(error).toBeInstanceOf(AgentError);
    return error as AgentError;
  }
  throw new Error('The configuration was accepted.');
};

describe('the configuration', () => {
  it('has these defaults', () => {
    expect(resolveConfig('The configuration')).toEqual({
      'subagent.max-poll-rounds': 1_000,
      'subagent.poll-check-millis': 900_000,
      'run.max-attempts': 5,
      'run.max-age-days': 30,
      'run.retention-days': 14,
      'run.max-hops': 1_000,
      'run.lease-millis': 60_000,
      'run.stay-millis': 2_000,
      'run.retry-initial-millis': 1_000,
      'payload.max-bytes': 33_554_432,
    });
  });

  it('takes a value of the agent before one of the deployment before the default', () => {
    const deployment = { 'run.max-hops': 3, 'run.max-attempts': 2 };
    const agent = { 'run.max-hops': 7 };
    expect(resolveConfig('x', deployment, agent)).toMatchObject({
      'run.max-hops': 7,
      'run.max-attempts': 2,
      'run.retention-days': 14,
    });
    expect(resolveConfig('x', deployment, undefined)).toMatchObject({ 'run.max-hops': 3 });
  });

  it('counts a value of undefined as not set', () => {
    expect(resolveConfig('x', { 'run.max-hops': 3 }, { 'run.max-hops': undefined } as never)).toMatchObject({
      'run.max-hops': 3,
    });
  });

  it.each([
    ['run.max-attemps', 'run.max-attempts'],
    ['run.max_attempts', 'run.max-attempts'],
    ['maxAttempts', 'run.max-attempts'],
    ['retention-days', 'run.retention-days'],
    ['run.lease-ms', 'run.lease-millis'],
    ['payload.max', 'payload.max-bytes'],
  ])('refuses the unknown key "%s" and names the nearest: %s', (key, nearest) => {
    expect(refusal({ [key]: 1 })).toMatchObject({
      code: 'INVALID_CONFIG',
      message: `The configuration of agent "a" sets the unknown key "${key}". Did you mean "${nearest}"?`,
    });
  });

  it.each(['constructor', 'toString', '__proto__', 'prototype'])('refuses the key "%s" like any other', (key) => {
    expect(refusal(JSON.parse(`{"${key}":{"isAdmin":true}}`))).toMatchObject({ code: 'INVALID_CONFIG' });
    expect('isAdmin' in {}).toBe(false);
  });

  it.each([
    ['run.max-attempts', 0],
    ['run.max-attempts', 101],
    ['run.max-attempts', 1.5],
    ['run.max-attempts', '5'],
    ['run.max-attempts', Number.NaN],
    ['run.max-attempts', null],
    ['run.max-age-days', 366],
    ['run.retention-days', -1],
    ['run.max-hops', Number.POSITIVE_INFINITY],
    ['run.lease-millis', 999],
    ['run.lease-millis', 900_001],
    ['run.retry-initial-millis', 900_001],
    ['payload.max-bytes', 0],
  ])('refuses %s = %s, naming the key and the remedy', (key, value) => {
    const error = refusal({ [key]: value });
    expect(error.code).toBe('INVALID_CONFIG');
    expect(error.message).toContain('The configuration of agent "a" is not valid.');
    expect(error.message).toContain(key);
    expect(error.message).toContain('Mend these values:');
  });

  it('names every bad value at once', () => {
    const { message } = refusal({ 'run.max-hops': 0 }, { 'run.max-attempts': 0 });
    expect(message).toContain('run.max-hops');
    expect(message).toContain('run.max-attempts');
  });

  it('takes the same value whatever order the keys have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 300 }), (attempts, days) => {
        const one = resolveConfig('x', { 'run.max-attempts': attempts, 'run.max-age-days': days });
        const other = resolveConfig('x', { 'run.max-age-days': days, 'run.max-attempts': attempts });
        expect(one).toEqual(other);
        expect(one).toMatchObject({ 'run.max-attempts': attempts, 'run.max-age-days': days });
      }),
    );
  });
});
