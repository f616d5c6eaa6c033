import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { crashEverywhere, type Scenario } from './support/crash-everywhere.ts';
import { DAY, HOUR, MINUTE } from './support/wait-programs.ts';

const waiter = defineAgent({ name: 'waiter', input: z.string(), output: z.string() }).addAction(
  'wait',
  EventType.InputEvent,
  async (event, ctx) => {
    const before = (await ctx.shortTermMemory.get('last', z.string())) ?? 'nobody';
    const answer = await ctx.waitForSignal('go', { schema: z.string() });
    await ctx.sleep(HOUR);
    ctx.shortTermMemory.set('last', event.input);
    ctx.sendEvent(OutputEvent(`${event.input} ${answer} after ${before}`));
  },
);

/** Whether what makes the run fail was mended. */
let isMended = false;
const charge = (): string => {
  if (!isMended) throw new Error('not mended');
  return 'charged';
};

const fragile = defineAgent({ name: 'fragile', input: z.string(), output: z.string() })
  .addAction('wait', EventType.InputEvent, async (event, ctx) => {
    await ctx.sleep(5 * MINUTE);
    ctx.sendEvent(OutputEvent(`${event.input} ${await ctx.waitForSignal('go')}`));
  })
  .addAction('charge', EventType.InputEvent, async (_event, ctx) => {
    await ctx.sleep(HOUR);
    ctx.sendEvent(OutputEvent(await ctx.durableExecute({ id: 'charge', call: charge })));
  });

const request = (requestId: string, more: { readonly key?: string; readonly agent?: string } = {}) => ({
  body: { agent: 'waiter', requestId, input: requestId, ...more },
});
const signal = (requestId: string, value: unknown, afterMillis: number) => ({
  body: { signal: { requestId, name: 'go', value } },
  afterMillis,
});

const profiles = [
  { profile: 'staying for short waits', config: {} },
  { profile: 'suspending for every wait', config: { 'run.stay-millis': 0 } },
];

describe.each(profiles)('a suspended run, wherever a process stops, $profile', ({ config }) => {
  const crash = (scenario: Omit<Scenario, 'agents' | 'config'>) =>
    crashEverywhere({ agents: [waiter, fragile], config, ...scenario });

  it('is ended by a cancel, and its key handed on', async () => {
    const report = await crash({
      messages: [
        request('r1', { key: 'k' }),
        request('r2', { key: 'k' }),
        { body: { cancel: { requestId: 'r1' } }, afterMillis: DAY },
        signal('r1', 'late', 2 * DAY),
        signal('r2', 'go', 2 * DAY),
      ],
      runIds: ['r1', 'r2'],
    });
    expect(report.statuses).toEqual(['CANCELLED', 'COMPLETED']);
    expect(report.told).toMatchObject([
      { requestId: 'r1', status: 'CANCELLED' },
      { requestId: 'r2', output: 'r2 go after nobody' },
      { requestId: 'r2', status: 'COMPLETED' },
    ]);
    expect(report.deployment.accepts).toContainEqual({
      kind: 'nothing-to-do',
      runId: 'r1',
      why: 'the run is CANCELLED',
    });
  });

  it('holds its key: the others of the key wait, in their order', async () => {
    const report = await crash({
      messages: [
        ...['r1', 'r2', 'r3'].map((runId) => request(runId, { key: 'k' })),
        signal('r1', 'one', DAY),
        // A signal for a run that waits for its key.
        signal('r3', 'three', 2 * HOUR),
        signal('r2', 'two', 2 * DAY),
      ],
      runIds: ['r1', 'r2', 'r3'],
    });
    expect(report.told.filter((message) => 'output' in message)).toMatchObject([
      { output: 'r1 one after nobody' },
      { output: 'r2 two after r1' },
      { output: 'r3 three after r2' },
    ]);
    expect(report.memory).toEqual([['MEM#last', '"r3"']]);
  });

  it('is FAILED when it is too old, and its key handed on', async () => {
    const report = await crash({
      messages: [
        request('r1', { key: 'k' }),
        { ...request('r2', { key: 'k' }), afterMillis: 10 * DAY },
        signal('r2', 'go', 20 * DAY),
      ],
      runIds: ['r1', 'r2'],
    });
    expect(report.told).toMatchObject([
      { requestId: 'r1', status: 'FAILED', error: { code: 'RUN_EXPIRED' } },
      { requestId: 'r2', output: 'r2 go after nobody' },
      { requestId: 'r2', status: 'COMPLETED' },
    ]);
  });

  it('is FAILED when another action fails, and waits on when it is redriven', async () => {
    const report = await crash({
      prepare: () => {
        isMended = false;
      },
      messages: [
        request('r1', { key: 'k', agent: 'fragile' }),
        { body: { redrive: { requestId: 'r1' } }, afterMillis: DAY },
        signal('r1', 'go', 2 * DAY),
      ],
      runIds: ['r1'],
      isOver: async (deployment) => {
        const status = (await deployment.run('r1'))?.status;
        isMended ||= status === 'FAILED';
        return status === 'COMPLETED';
      },
    });
    expect(report.told).toMatchObject([
      { status: 'FAILED', error: { message: 'not mended' } },
      { output: 'charged' },
      { output: 'r1 go' },
      { status: 'COMPLETED' },
    ]);
  });
});
