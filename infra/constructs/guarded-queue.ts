import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AgentError } from '../../lib/errors/agent-error.ts';
import { type AlarmProps, NotifyingAlarm } from './notifying-alarm.ts';
import { removalPolicyOf, type StoredDataProps } from './stored-data.ts';

export interface GuardedQueueProps extends StoredDataProps, AlarmProps {
  /** FIFO with high throughput, else standard. Its dead-letter queue is of the same kind, as SQS demands. */
  readonly fifo: boolean;
  /** What a message in the dead-letter queue means and what to do about it. */
  readonly runbook: string;
  /** Timeout of our function that takes the messages. @default somebody else takes them */
  readonly consumerTimeout?: Duration;
  /** At least six times `consumerTimeout`. @default six times `consumerTimeout`, else 30 seconds */
  readonly visibilityTimeout?: Duration;
}

const HIGH_THROUGHPUT_FIFO: QueueProps = {
  fifo: true,
  // Two equal inputs may both be meant: the sender decides by its de-duplication id.
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
};

// Throttled polls raise the count too, without running any code.
const MAX_RECEIVE_COUNT = 5;
// Six times the consumer's timeout, so that a retried batch is not delivered while the first one still runs.
const VISIBILITY_FACTOR = 6;
// The longest that SQS keeps a message.
const LONGEST_RETENTION = Duration.days(14);

/** How long a message may be read after it was sent: in its queue, then in the dead-letter queue, where a FIFO one begins anew. */
export const LONGEST_MESSAGE_LIFE = Duration.days(2 * LONGEST_RETENTION.toDays());

/** A queue, its dead-letter queue and the alarm that says that something arrived there. */
export class GuardedQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** How long a message that was received and not deleted stays hidden. */
  readonly visibilityTimeout: Duration;

  constructor(scope: Construct, id: string, props: GuardedQueueProps) {
    super(scope, id);
    const common: QueueProps = {
      ...(props.fifo ? HIGH_THROUGHPUT_FIFO : {}),
      ...(props.encryptionKey
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: props.encryptionKey }
        : { encryption: QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: LONGEST_RETENTION,
      removalPolicy: removalPolicyOf(props),
    };
    this.visibilityTimeout = visibilityTimeoutOf(this.node.path, props);
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    this.queue = new Queue(this, 'Queue', {
      ...common,
      visibilityTimeout: this.visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVE_COUNT },
    });
    new NotifyingAlarm(this, 'DeadLettersAlarm', {
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      bound: { above: 0 },
      runbook: props.runbook,
      alarmTopic: props.alarmTopic,
    });
  }
}

function visibilityTimeoutOf(path: string, props: GuardedQueueProps): Duration {
  const least = (props.consumerTimeout?.toSeconds() ?? 0) * VISIBILITY_FACTOR;
  const chosen = props.visibilityTimeout?.toSeconds() ?? (least === 0 ? 30 : least);
  if (chosen < least) {
    throw new AgentError(
      'INVALID_CONFIG',
      `Queue "${path}" has a visibility timeout of ${chosen} s, but its consumer may run ${props.consumerTimeout?.toSeconds()} s. ` +
        `Leave visibilityTimeout out, or set it to at least ${least} s (six times as long).`,
    );
  }
  return Duration.seconds(chosen);
}
