import type { ConfigInput } from '../agent/config.ts';
import type { AgentDefinition } from '../agent/define-agent.ts';
import { compilePlans, type PlanSet } from '../agent/plan.ts';
import type { Wake } from '../ports/queues.ts';
import { type AcceptResult, acceptRequest } from './accept/accept-request.ts';
import type { RequestMessage } from './accept/request-message.ts';
import { driveRun } from './drive/drive-run.ts';
import type { DriveResult } from './drive/settle-drive.ts';
import type { AcceptPorts, DrivePorts } from './runner-ports.ts';

export interface RuntimeOptions<Ports> {
  readonly agents: readonly AgentDefinition[];
  /** Deployment defaults. */
  readonly config?: ConfigInput;
  readonly ports: Ports;
}

/** Time of an invocation: milliseconds since 1970. */
export interface Invocation {
  readonly deadline: number;
}

export interface AcceptedBatch {
  readonly results: readonly { readonly messageId: string; readonly result: AcceptResult }[];
  /** Messages to be delivered again: what threw, and whatever followed it in its group. */
  readonly failures: readonly { readonly messageId: string; readonly error: unknown }[];
}

export interface RequestAcceptor {
  acceptRequests(messages: readonly RequestMessage[], invocation: Invocation): Promise<AcceptedBatch>;
}

export interface RunDriver {
  /** @throws what the store or a queue threw, when it could not be written down: the wake is to be delivered again */
  driveRun(wake: Wake, invocation: Invocation): Promise<DriveResult>;
}

/** No message is begun with less time left: it would be cut in the middle and come back anyway. */
const ACCEPT_MARGIN_MILLIS = 3_000;

/** @throws AgentError when a plan or the configuration is not valid */
export function createRequestAcceptor({ agents, config, ports }: RuntimeOptions<AcceptPorts>): RequestAcceptor {
  const plans = compilePlans(agents, config);
  return { acceptRequests: (messages, invocation) => acceptBatch(plans, ports, messages, invocation) };
}

/** @throws AgentError when a plan or the configuration is not valid */
export function createRunDriver({ agents, config, ports }: RuntimeOptions<DrivePorts>): RunDriver {
  const plans = compilePlans(agents, config);
  return { driveRun: (wake, { deadline }) => driveRun({ plans, ports, deadline }, wake) };
}

/** Groups go side by side; within a group the order of the queue is kept, also over a failure. */
async function acceptBatch(
  plans: PlanSet,
  ports: AcceptPorts,
  messages: readonly RequestMessage[],
  { deadline }: Invocation,
): Promise<AcceptedBatch> {
  const results: { messageId: string; result: AcceptResult }[] = [];
  const failures: { messageId: string; error: unknown }[] = [];
  const acceptGroup = async (group: readonly RequestMessage[]): Promise<void> => {
    let failed: { readonly error: unknown } | undefined;
    for (const message of group) {
      if (failed === undefined && ports.clock.now() > deadline - ACCEPT_MARGIN_MILLIS)
        failed = { error: new Error('The invocation has too little time left.') };
      if (failed === undefined) {
        try {
          results.push({ messageId: message.messageId, result: await acceptRequest(plans, ports, message) });
          continue;
        } catch (error) {
          failed = { error };
        }
      }
      failures.push({ messageId: message.messageId, error: failed.error });
    }
  };
  await Promise.all(groupsOf(messages).map(acceptGroup));
  const order = new Map(messages.map(({ messageId }, index) => [messageId, index]));
  failures.sort((a, b) => (order.get(a.messageId) ?? 0) - (order.get(b.messageId) ?? 0));
  return { results, failures };
}

function groupsOf(messages: readonly RequestMessage[]): readonly (readonly RequestMessage[])[] {
  const groups = new Map<string, RequestMessage[]>();
  for (const message of messages) {
    const group = groups.get(message.groupId);
    if (group) group.push(message);
    else groups.set(message.groupId, [message]);
  }
  return [...groups.values()];
}
