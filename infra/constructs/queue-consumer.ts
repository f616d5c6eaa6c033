import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AgentError } from '../../lib/errors/agent-error.ts';

export interface QueueConsumerProps {
  readonly queue: IQueue;
  /** Its role needs `consumeMessages` of the queue. */
  readonly function: IFunction;
  readonly batchSize: number;
  /** At most so many batches at a time, 2 to 1,000. */
  readonly maxConcurrency: number;
}

/** Feeds a queue to a function; a message that fails comes back alone. */
export class QueueConsumer extends Construct {
  constructor(scope: Construct, id: string, props: QueueConsumerProps) {
    super(scope, id);
    if (!Number.isInteger(props.maxConcurrency) || props.maxConcurrency < 2 || props.maxConcurrency > 1000) {
      throw new AgentError(
        'INVALID_CONFIG',
        `maxConcurrency is ${props.maxConcurrency}, but Lambda takes whole numbers from 2 to 1000 for a queue. Choose one of them.`,
      );
    }
    // Not `SqsEventSource`: that also grants ChangeMessageVisibility and GetQueueUrl.
    new EventSourceMapping(this, 'Mapping', {
      eventSourceArn: props.queue.queueArn,
      target: props.function,
      batchSize: props.batchSize,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
