import * as z from 'zod';
import { functionByArn, type LocalResourceType } from './local-resource.ts';
import { LOCAL_ACCOUNT, physicalName } from './physical-names.ts';
import { QueuePoller } from './queue-poller.ts';

const mappingProperties = z.object({
  EventSourceArn: z.string().startsWith('arn:aws:sqs:'),
  FunctionName: z.string(),
  Enabled: z.boolean().default(true),
  // Lambda's default for queues.
  BatchSize: z.number().default(10),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
  FilterCriteria: z.undefined({ error: 'messages are not filtered here' }).optional(),
});

// The most messages that SQS hands out at a time.
const RECEIVE_LIMIT = 10;

/** What feeds a queue to a function. */
export const localEventSource: LocalResourceType = {
  phase: 'trigger',
  identify: ({ logicalId }, { stackName }) => ({ ref: physicalName(stackName, logicalId), attributes: {} }),
  async create({ properties }, context) {
    const mapping = mappingProperties.parse(properties);
    if (!mapping.Enabled) return;
    const pool = functionByArn(context, mapping.FunctionName);
    const queueName = mapping.EventSourceArn.slice(mapping.EventSourceArn.lastIndexOf(':') + 1);
    const poller = new QueuePoller({
      sqs: context.sqs,
      queueUrl: `${context.endpoints.sqs}/${LOCAL_ACCOUNT}/${queueName}`,
      queueArn: mapping.EventSourceArn,
      region: context.region,
      batchSize: Math.min(mapping.BatchSize, RECEIVE_LIMIT),
      maxConcurrency: Math.min(mapping.ScalingConfig?.MaximumConcurrency ?? Infinity, pool.spec.maxConcurrency),
      reportsItemFailures: mapping.FunctionResponseTypes.includes('ReportBatchItemFailures'),
      invoke: (event) => pool.invoke(event),
      onProblem: (text) => context.log.append({ functionName: pool.spec.name, at: Date.now(), pid: process.pid, text }),
    });
    context.triggers.push(() => poller.stop());
  },
};
