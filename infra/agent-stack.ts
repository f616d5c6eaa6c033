import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { compilePlans } from '../lib/agent/plan.ts';
import { type AgentStackProps, resolveProps } from './agent-stack-props.ts';
import { ACCEPT_TIMEOUT, AcceptRequests } from './constructs/accept-requests.ts';
import { GuardedQueue } from './constructs/guarded-queue.ts';
import { letLogsUse } from './constructs/log-encryption.ts';
import { logRetentionFor } from './constructs/log-retention.ts';
import { PayloadStore } from './constructs/payload-store.ts';
import { PollSubagent } from './constructs/poll-subagent.ts';
import { RunAgent } from './constructs/run-agent.ts';
import { RunStore } from './constructs/run-store.ts';
import { SavedQueries } from './constructs/saved-queries.ts';
import { StatusPoller } from './constructs/status-poller.ts';
import { SweepRuns } from './constructs/sweep-runs.ts';
import { daysNeeded } from './days-needed.ts';

/**
 * Everything that a deployment of agents needs; its outputs say where it is.
 * @example new AgentStack(app, 'Agents', { agents: [codeReview, support], runAgent: { maxConcurrency: 20 } });
 */
export class AgentStack extends Stack {
  readonly #agentRoles: readonly IRole[];

  /** @throws AgentError when an agent, the configuration or a prop is wrong */
  constructor(scope: Construct, id: string, props: AgentStackProps) {
    super(scope, id, props);
    const { config, removable, architecture, runAgent } = resolveProps(props);
    const days = daysNeeded(compilePlans(props.agents, config).values());
    const { encryptionKey, alarmTopic, vpc } = props;
    const data = { removable, encryptionKey, alarmTopic };

    if (encryptionKey) letLogsUse(encryptionKey);
    const store = new RunStore(this, 'RunStore', data);
    const payloads = new PayloadStore(this, 'PayloadStore', { ...data, neededDays: days.payloads });
    const requests = new GuardedQueue(this, 'RequestQueue', {
      ...data,
      fifo: true,
      consumerTimeout: ACCEPT_TIMEOUT,
      runbook:
        'Requests were not accepted. One with the attribute "reason" was refused: mend it and send it again. One without was never answered: read the log of accept-requests, then redrive it.',
    });
    const wakes = new GuardedQueue(this, 'WakeQueue', {
      ...data,
      fifo: false,
      consumerTimeout: runAgent.timeout,
      runbook:
        'A wake was received five times and never answered: run-agent dies with that run. The sweep goes on waking it until its attempts are used up. Read the log of run-agent for the run id in the message, then purge the queue.',
    });
    const outputs = new GuardedQueue(this, 'OutputQueue', {
      ...data,
      fifo: true,
      runbook: 'A receiver of outputs failed five times on a message. Mend the receiver, then redrive the queue.',
    });

    const handler = { ...data, architecture, vpc, logRetention: logRetentionFor(days.records) };
    const parts = { store, payloads, requests, wakes, outputs };
    const { environment: agentVariables, ...sizes } = runAgent;
    const agentCode = { config: JSON.stringify(config), agentVariables };
    const accepting = new AcceptRequests(this, 'AcceptRequests', { ...handler, ...parts, ...agentCode });
    const polling = new PollSubagent(this, 'PollSubagent', { ...handler, ...parts, ...agentCode });
    const pollSubagent = polling.handler.function;
    const poller = new StatusPoller(this, 'StatusPoller', { ...handler, pollSubagent });
    const driving = new RunAgent(this, 'RunAgent', { ...handler, ...parts, poller, ...agentCode, ...sizes });
    const sweeping = new SweepRuns(this, 'SweepRuns', { ...handler, store, wakes });
    new SavedQueries(this, 'SavedQueries', { logGroup: driving.handler.logGroup });
    this.#agentRoles = [driving.handler.role, polling.handler.role];

    this.#output({
      RequestQueueUrl: requests.queue.queueUrl,
      WakeQueueUrl: wakes.queue.queueUrl,
      OutputQueueUrl: outputs.queue.queueUrl,
      DeadLetterQueueUrl: requests.deadLetters.queueUrl,
      TableName: store.table.tableName,
      PayloadBucketName: payloads.bucket.bucketName,
      AcceptRequestsLogGroupName: accepting.handler.logGroup.logGroupName,
      RunAgentLogGroupName: driving.handler.logGroup.logGroupName,
      SweepRunsLogGroupName: sweeping.handler.logGroup.logGroupName,
      PollSubagentLogGroupName: polling.handler.logGroup.logGroupName,
      StatusPollerArn: poller.stateMachine.attrArn,
    });
  }

  /**
   * Gives the agents' code more rights, on each role that runs it.
   * @example agents.grantToAgents((role) => orders.grantReadData(role));
   */
  grantToAgents(grant: (role: IRole) => void): void {
    for (const role of this.#agentRoles) grant(role);
  }

  #output(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
