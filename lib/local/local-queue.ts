import { CreateQueueCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import type { LocalResourceType } from './local-resource.ts';
import { LOCAL_ACCOUNT, localArn, physicalName } from './physical-names.ts';

// Encryption and tags do nothing here.
const ATTRIBUTES: readonly QueueAttributeName[] = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoQueue',
  'FifoThroughputLimit',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'VisibilityTimeout',
];

/** A queue. Its dead-letter queue is found by ARN when a message goes there, so their order does not matter. */
export const localQueue: LocalResourceType = {
  phase: 'data',
  identify({ logicalId, properties }, { stackName, region, endpoints }) {
    const name = `${physicalName(stackName, logicalId)}${properties.FifoQueue === true ? '.fifo' : ''}`;
    const url = `${endpoints.sqs}/${LOCAL_ACCOUNT}/${name}`;
    return { ref: url, attributes: { Arn: localArn('sqs', region, name), QueueName: name, QueueUrl: url } };
  },
  async create({ properties, identity }, { sqs, overrides }) {
    const attributes: Partial<Record<QueueAttributeName, string>> = {};
    for (const name of ATTRIBUTES) {
      const value = properties[name];
      if (value !== undefined) attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
    }
    if (overrides.visibilityTimeoutSeconds !== undefined) {
      attributes.VisibilityTimeout = String(overrides.visibilityTimeoutSeconds);
    }
    await sqs.send(new CreateQueueCommand({ QueueName: identity.attributes.QueueName, Attributes: attributes }));
  },
};
