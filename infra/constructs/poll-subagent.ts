import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { PollSubagentEnv } from '../../functions/environment/poll-subagent-env.ts';
import type { GuardedQueue } from './guarded-queue.ts';
import { HandlerFunction, type HandlerProps } from './handler-function.ts';
import type { PayloadStore } from './payload-store.ts';
import type { RunStore } from './run-store.ts';
import { changeItems, readPayloads, sendMessages, writePayloads } from './statements.ts';

export interface PollSubagentProps extends HandlerProps {
  readonly store: RunStore;
  readonly payloads: PayloadStore;
  readonly wakes: GuardedQueue;
  /** The deployment's configuration as JSON. */
  readonly config: string;
  /** Variables of the agents' code: the setups of their sub-agents run here. */
  readonly agentVariables: Readonly<Record<string, string>>;
}

/** Asks remote services how far their jobs are: one round of the status poller. */
export class PollSubagent extends Construct {
  readonly handler: HandlerFunction;

  constructor(scope: Construct, id: string, props: PollSubagentProps) {
    super(scope, id);
    const { store, payloads, wakes } = props;
    this.handler = new HandlerFunction(this, 'Handler', {
      ...props,
      file: 'poll-subagent.ts',
      // Ten seconds of probing, and time for those that hang.
      timeout: Duration.seconds(60),
      memorySize: 512,
      environment: {
        STORE_TABLE_NAME: store.table.tableName,
        STORE_INDEX_NAME: store.indexName,
        WAKE_QUEUE_URL: wakes.queue.queueUrl,
        PAYLOAD_BUCKET_NAME: payloads.bucket.bucketName,
        DEPLOYMENT_CONFIG: props.config,
      } satisfies Record<keyof PollSubagentEnv, string>,
      statements: [
        changeItems(store.table),
        sendMessages(wakes.queue),
        readPayloads(payloads.bucket),
        writePayloads(payloads.bucket),
      ],
    });
  }
}
