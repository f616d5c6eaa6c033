import { defineAgent, EventType, OutputEvent } from 'lambda-agents';
import { testRuntime } from 'lambda-agents/testing';
import { atLeast, atMost, type Figure, median } from './figure.ts';

const CALLS = 100;
const ROUNDS = 60;
const WARM_UP = 20;

/** The engine alone, on the in-memory store: per durable call, a replay of recorded calls, many runs at once, growth. */
export async function engineFigures(): Promise<readonly Figure[]> {
  const { first, replay } = await callTimes();
  return [
    atMost('engine: durable call, p50', median(first) / CALLS, 'ms', 0.3),
    atMost('engine: replay of 100 calls, p50', median(replay), 'ms', 1),
    atLeast('engine: 32 runs x 10 calls', await callsPerSecond(), 'calls/s', 3_000),
    atMost('engine: time per call, calls 901-1000 over calls 1-100', await growth(), 'ratio', 1.2),
  ];
}

async function callTimes(): Promise<{ readonly first: readonly number[]; readonly replay: readonly number[] }> {
  const times: number[] = [];
  const agent = defineAgent({ name: 'calls' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    const start = performance.now();
    for (let call = 0; call < CALLS; call += 1) await ctx.durableExecute({ id: `call-${call}`, call: () => call });
    times.push(performance.now() - start);
    if (times.length % 2 === 1) throw new Error('The second attempt replays.');
    ctx.sendEvent(OutputEvent('done'));
  });
  for (let round = 0; round < ROUNDS; round += 1) await testRuntime([agent]).run('calls', round);
  const measured = times.slice(WARM_UP * 2);
  return {
    first: measured.filter((_, index) => index % 2 === 0),
    replay: measured.filter((_, index) => index % 2 === 1),
  };
}

async function callsPerSecond(): Promise<number> {
  const agent = defineAgent({ name: 'many' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    for (let call = 0; call < 10; call += 1) await ctx.durableExecute({ id: `call-${call}`, call: () => call });
  });
  const rates: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const runtimes = Array.from({ length: 32 }, () => testRuntime([agent]));
    const start = performance.now();
    await Promise.all(runtimes.map((runtime) => runtime.run('many', round)));
    rates.push(320 / ((performance.now() - start) / 1_000));
  }
  return median(rates.slice(5));
}

async function growth(): Promise<number> {
  const ratios: number[] = [];
  const agent = defineAgent({ name: 'long' }).addAction('call', EventType.InputEvent, async (_event, ctx) => {
    const marks: number[] = [];
    for (let call = 0; call < 1_000; call += 1) {
      if (call % 100 === 0) marks.push(performance.now());
      await ctx.durableExecute({ id: `call-${call}`, call: () => 'x'.repeat(100) });
    }
    marks.push(performance.now());
    const span = (index: number): number => (marks[index + 1] ?? 0) - (marks[index] ?? 0);
    ratios.push(span(9) / span(0));
  });
  for (let round = 0; round < 15; round += 1) await testRuntime([agent]).run('long', round);
  return median(ratios.slice(5));
}
