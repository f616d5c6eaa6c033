import { defineAgent, EventType, OutputEvent, TerminalError } from 'lambda-agents';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { StdoutTraceSink } from '../../lib/adapters/stdout-trace-sink.ts';
import { DriveBench } from '../unit/runner/support/drive-bench.ts';
import { synthStack } from './synth-stack.ts';

const stack = synthStack();
const filterSchema = z.object({
  LogGroupName: z.unknown(),
  FilterPattern: z.string().regex(/^\{ \(.+\) \}$/),
  MetricTransformations: z.tuple([
    z.strictObject({ MetricName: z.string(), MetricNamespace: z.unknown(), MetricValue: z.literal('1') }),
  ]),
});
const filters = stack.ofType('AWS::Logs::MetricFilter').map(({ properties }) => {
  const { LogGroupName, FilterPattern, MetricTransformations } = filterSchema.parse(properties);
  return { LogGroupName, FilterPattern, metric: MetricTransformations[0] };
});

/** What stands at `$.a.b` of a line. */
const valueAt = (line: unknown, selector: string): unknown =>
  selector
    .split('.')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], line);

/** Whether a line of the log matches, for the part of the pattern syntax in use: `{ ($.a = "x") && ($.b.c = "y") }`. */
function matches(pattern: string, line: string): boolean {
  const conditions = pattern.slice('{ ('.length, -') }'.length).split(') && (');
  return conditions.every((condition) => {
    const [, selector, value] = /^(\$(?:\.[\w-]+)+) = "(\w+)"$/.exec(condition) ?? [];
    if (selector === undefined) throw new Error(`Not a condition: ${condition}`);
    return valueAt(JSON.parse(line), selector) === value;
  });
}

/** An agent that does as it is told; after a deploy its call asks for something else. */
const obeying = (version: number) =>
  defineAgent({ name: 'obeying', input: z.enum(['end', 'fail', 'mismatch']), output: z.string() }).addAction(
    'obey',
    EventType.InputEvent,
    async (event, ctx) => {
      await ctx.durableExecute({ id: 'look', args: { version }, call: () => 'seen' });
      if (event.input === 'fail') throw new TerminalError('as told');
      if (event.input === 'mismatch') throw new Error('not yet');
      ctx.sendEvent(OutputEvent('done'));
    },
  );

/** The lines that run-agent writes meanwhile. */
async function linesOf(work: (bench: DriveBench) => Promise<unknown>): Promise<readonly string[]> {
  const bench = new DriveBench([obeying(1)]);
  await work(bench);
  const lines: string[] = [];
  const sink = new StdoutTraceSink((line) => void lines.push(line));
  for (const record of bench.traces) sink.write(record);
  return lines;
}

/** How often each metric counts a run. */
const countsOf = (lines: readonly string[]) =>
  Object.fromEntries(
    filters.map(({ FilterPattern, metric }) => [
      metric.MetricName,
      lines.filter((line) => matches(FilterPattern, line)).length,
    ]),
  );

describe('the alarms for runs in trouble', () => {
  it('count each FAILED and each BLOCKED run once, and no other', async () => {
    const ended = await linesOf(async (bench) => {
      await bench.begin('r', 'end');
      expect(await bench.drive('r')).toMatchObject({ outcome: 'COMPLETED' });
    });
    expect(countsOf(ended)).toEqual({ BlockedRuns: 0, FailedRuns: 0 });

    const failed = await linesOf(async (bench) => {
      await bench.begin('r', 'fail');
      expect(await bench.drive('r')).toMatchObject({ outcome: 'FAILED' });
    });
    expect(countsOf(failed)).toEqual({ BlockedRuns: 0, FailedRuns: 1 });

    const blocked = await linesOf(async (bench) => {
      await bench.begin('r', 'mismatch');
      await bench.drive('r');
      bench.clock.advanceBy(1_000);
      expect(await bench.drive('r', [obeying(2)])).toMatchObject({ kind: 'blocked' });
    });
    expect(countsOf(blocked)).toEqual({ BlockedRuns: 1, FailedRuns: 0 });

    const cancelled = await linesOf(async (bench) => {
      await bench.begin('r', 'end');
      await bench.accept({ cancel: { requestId: 'r' } });
      expect(await bench.drive('r')).toMatchObject({ outcome: 'CANCELLED' });
    });
    expect(countsOf(cancelled)).toEqual({ BlockedRuns: 0, FailedRuns: 0 });
  });

  it('read the log of run-agent, under names that another stack of the account does not have', () => {
    expect(filters.map(({ LogGroupName }) => LogGroupName)).toEqual(
      filters.map(() => ({ Ref: stack.one('AWS::Logs::LogGroup', 'RunAgent').id })),
    );
    expect(filters.map(({ metric }) => metric.MetricNamespace)).toEqual(
      filters.map(() => ({ 'Fn::Join': ['', ['LambdaAgents/', { Ref: 'AWS::StackName' }]] })),
    );
    expect(filters).toHaveLength(2);
  });

  it.each([
    ['BlockedRuns', 'run_blocked', /runs --blocked.*redrive --blocked/],
    ['FailedRuns', 'run_failed', /runs --failed.*redrive ID/],
  ])('go off for the first of %s in five minutes, and are quiet without one', (name, problem, runbook) => {
    const filter = filters.find(({ metric }) => metric.MetricName === name);
    expect(filter?.FilterPattern).toContain(`($.problem_category = "${problem}")`);
    expect(stack.one('AWS::CloudWatch::Alarm', `RunAgent${name}`).properties).toEqual({
      MetricName: name,
      Namespace: filter?.metric.MetricNamespace,
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      AlarmDescription: expect.stringMatching(runbook),
    });
  });
});
