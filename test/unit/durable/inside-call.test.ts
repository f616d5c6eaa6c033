import { describe, expect, it } from 'vitest';
import { insideCall, refuseInsideCall } from '../../../lib/durable/inside-call.ts';

const refusal = expect.objectContaining({
  code: 'CALL_OUTSIDE_ACTION',
  message: 'sendEvent was used inside durable call "a". Return a value from the call and use sendEvent in the action.',
});

const outcomeOf = (work: () => void): unknown => {
  try {
    work();
    return 'allowed';
  } catch (error) {
    return error;
  }
};

const attempt = () => outcomeOf(() => refuseInsideCall('sendEvent'));

describe('the context inside a durable call', () => {
  it('is refused in its body and in whatever the body goes on to do', async () => {
    const later = await insideCall('a', async () => {
      const atOnce = attempt();
      await new Promise((resolve) => setImmediate(resolve));
      return [atOnce, attempt(), await Promise.all([Promise.resolve().then(attempt)])];
    });
    expect(later).toEqual([refusal, refusal, [refusal]]);
  });

  it('is allowed around it, also while it is under way', async () => {
    const gate = Promise.withResolvers<void>();
    const call = insideCall('a', () => gate.promise);
    expect(attempt()).toBe('allowed');
    gate.resolve();
    await call;
    expect(attempt()).toBe('allowed');
  });

  it('names the innermost call', () => {
    expect(insideCall('outer', () => insideCall('a', attempt))).toEqual(refusal);
  });
});
