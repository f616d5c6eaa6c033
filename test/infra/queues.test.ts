import { Duration } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { AgentStack } from '../../infra/agent-stack.ts';
import { GuardedQueue } from '../../infra/constructs/guarded-queue.ts';
import { QueueConsumer } from '../../infra/constructs/queue-consumer.ts';
import { createApp, echo, type Resource, referenced, synthStack } from './synth-stack.ts';

const stack = synthStack();
const queues = stack.ofType('AWS::SQS::Queue');
const isDeadLetters = ({ id }: Resource) => id.includes('DeadLetters');
const served = queues.filter((queue) => !isDeadLetters(queue));
const mappings = stack.ofType('AWS::Lambda::EventSourceMapping');

describe('the queues', () => {
  it('are three, each with a dead-letter queue of its own kind and five receives', () => {
    expect(served).toHaveLength(3);
    const targets = served.map(({ properties }) => {
      expect(properties.RedrivePolicy).toMatchObject({ maxReceiveCount: 5 });
      const target = stack.byId(referenced((properties.RedrivePolicy as Record<string, unknown>).deadLetterTargetArn));
      expect(target.properties.FifoQueue).toBe(properties.FifoQueue);
      expect(target.properties.MessageRetentionPeriod).toBe(1_209_600);
      return target.id;
    });
    expect(targets.sort()).toEqual(
      queues
        .filter(isDeadLetters)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('take requests and give outputs in order, de-duplicated only by the sender', () => {
    const fifo = served.filter(({ properties }) => properties.FifoQueue === true);
    expect(fifo.map(({ id }) => id.replace(/Queue.*/, ''))).toEqual(['Request', 'Output']);
    for (const { properties } of fifo) {
      expect(properties).toMatchObject({
        ContentBasedDeduplication: false,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
    }
  });

  it('are encrypted', () => {
    for (const { properties } of queues) expect(properties.SqsManagedSseEnabled).toBe(true);
  });

  it('let nobody in by policy and refuse whoever comes without TLS', () => {
    const policies = stack.ofType('AWS::SQS::QueuePolicy');
    expect(policies.flatMap(({ properties }) => (properties.Queues as unknown[]).map(referenced)).sort()).toEqual(
      queues.map(({ id }) => id).sort(),
    );
    for (const { properties } of policies) {
      expect(properties.PolicyDocument).toMatchObject({
        Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      });
    }
  });

  it('raise an alarm for the first message in a dead-letter queue', () => {
    for (const { id } of queues.filter(isDeadLetters)) {
      const alarms = stack
        .ofType('AWS::CloudWatch::Alarm')
        .filter(({ properties }) => JSON.stringify(properties.Dimensions ?? []).includes(`"${id}"`));
      expect(alarms).toHaveLength(1);
      expect(alarms[0]?.properties).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        ComparisonOperator: 'GreaterThanThreshold',
        Threshold: 0,
        TreatMissingData: 'notBreaching',
      });
    }
  });
});

describe('the consumers', () => {
  it('report each failed message alone, and their concurrency is bounded', () => {
    expect(mappings).toHaveLength(2);
    for (const { properties } of mappings) {
      expect(properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(properties.ScalingConfig).toMatchObject({ MaximumConcurrency: expect.any(Number) });
    }
  });

  it('take ten requests but only one wake at a time', () => {
    const batches = mappings.map(({ id, properties }) => [id.replace(/Consumer.*/, ''), properties.BatchSize]);
    expect(batches).toEqual([
      ['AcceptRequests', 10],
      ['RunAgent', 1],
    ]);
  });

  it.each([60, 300, 900])('hide a message for six times the consumer timeout of %i s', (seconds) => {
    const built = synthStack({ runAgent: { timeout: Duration.seconds(seconds) } });
    for (const { properties } of built.ofType('AWS::Lambda::EventSourceMapping')) {
      const timeout = built.byId(referenced(properties.FunctionName)).properties.Timeout;
      const visibility = built.byId(referenced(properties.EventSourceArn)).properties.VisibilityTimeout;
      expect(visibility).toBe(6 * Number(timeout));
    }
    expect(built.one('AWS::Lambda::Function', 'RunAgent').properties.Timeout).toBe(seconds);
  });

  it('refuse a visibility timeout below that, naming both numbers', () => {
    const scope = new AgentStack(createApp(), 'Agents', { agents: [echo] });
    const queue = (visibilitySeconds: number) =>
      new GuardedQueue(scope, `Queue${visibilitySeconds}`, {
        fifo: false,
        runbook: 'Nothing.',
        removable: false,
        consumerTimeout: Duration.seconds(300),
        visibilityTimeout: Duration.seconds(visibilitySeconds),
      });
    expect(() => queue(60)).toThrow(/60 s.*300 s.*1800 s/s);
    expect(() => queue(1799)).toThrow(/1800 s/);
    expect(() => queue(1800)).not.toThrow();
  });

  it.each([1, 0, 2.5, 1001, Number.NaN])(
    'refuse a concurrency of %d, which Lambda would refuse while it deploys',
    (value) => {
      const scope = new AgentStack(createApp(), 'Agents', { agents: [echo] });
      const { queue } = new GuardedQueue(scope, 'Queue', { fifo: false, runbook: 'Nothing.', removable: false });
      const consumer = LambdaFunction.fromFunctionName(scope, 'Consumer', 'consumer');
      expect(
        () => new QueueConsumer(scope, 'Mapping', { queue, function: consumer, batchSize: 1, maxConcurrency: value }),
      ).toThrow(/2 to 1000/);
    },
  );
});
