import * as z from 'zod';
import type { AgentPlan } from '../../agent/plan.ts';
import { ResourceType, type ResourceTypeName } from '../../agent/resource.ts';
import type { RunnerContext } from '../../agent/runner-context.ts';
import { refuseInsideCall } from '../../durable/inside-call.ts';
import type { SignalOptions } from '../../durable/wait-options.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { TerminalError } from '../../errors/public-errors.ts';
import type { EventDraft, OutputDraft } from '../../events/event.ts';
import type { PlannedSubagent } from '../../subagents/plan-subagent.ts';
import type { Subagent } from '../../subagents/subagent-declaration.ts';
import { checkJson } from '../../values/json-value.ts';
import { encodeValue } from '../../values/value-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DurableCalls } from './durable-calls.ts';
import type { DurableWaits } from './durable-waits.ts';
import type { SubagentCalls } from './subagent-calls.ts';

export interface ActionContextOptions {
  readonly plan: AgentPlan;
  readonly runId: string;
  readonly key: string | undefined;
  readonly action: ActionRun;
  readonly calls: DurableCalls;
  readonly waits: DurableWaits;
  readonly subagents: SubagentCalls;
}

/** The context of one action: what user code may do to its run. */
export function createActionContext(options: ActionContextOptions): RunnerContext {
  const { plan, runId, key, action, calls, waits } = options;
  return {
    runId,
    key,
    agentName: plan.name,
    actionName: action.queued.action.name,
    config: plan.config,
    sensoryMemory: action.sensory,
    shortTermMemory: action.shortTerm,
    sendEvent: (draft) => {
      guardAction('sendEvent', action);
      action.events.push(emit(plan, draft));
    },
    durableExecute: <T>(call: unknown) => {
      refuseInsideCall('durableExecute');
      return calls.execute(action, call) as Promise<T>;
    },
    sleep: (millis, options) => {
      refuseInsideCall('sleep');
      return waits.sleep(action, millis, options) as Promise<void>;
    },
    waitForSignal: (name: string, options?: SignalOptions) => {
      refuseInsideCall('waitForSignal');
      return waits.waitForSignal(action, name, options) as Promise<never>;
    },
    getResource: (name, type) => getResource(options, name, type) as never,
    hasResource: (name, type) => plan.resources.get(type)?.has(name) ?? false,
  };
}

/** @throws AgentError `CALL_OUTSIDE_ACTION` inside a durable call or after the end of the action */
export function guardAction(method: string, action: ActionRun): void {
  refuseInsideCall(method);
  if (action.state === 'ended') {
    throw new AgentError(
      'CALL_OUTSIDE_ACTION',
      `Action "${action.queued.action.name}" has ended, so ${method} has no effect any more. Await everything that the action starts.`,
    );
  }
}

function emit(
  plan: AgentPlan,
  draft: EventDraft | OutputDraft<unknown>,
): { readonly type: string; readonly text: string } {
  switch (draft?.kind) {
    case 'output':
      return {
        type: draft.type,
        text: encodeValue({ output: parseOutput(plan, draft.attributes.output) }, 'event.attributes'),
      };
    case 'custom':
      return { type: draft.type, text: encodeValue(draft.attributes, `the attributes of event "${draft.type}"`) };
    default:
      throw new AgentError(
        'INVALID_EVENT',
        'sendEvent was given something that is no event. Make one with OutputEvent(…) or with an event of defineEvent.',
      );
  }
}

function parseOutput(plan: AgentPlan, output: unknown): unknown {
  const parsed = plan.output === undefined ? { success: true as const, data: output } : plan.output.safeParse(output);
  if (!parsed.success)
    throw new TerminalError(
      `An output of agent "${plan.name}" does not fit its output schema: ${z.prettifyError(parsed.error)}`,
    );
  if (parsed.data === undefined) return null;
  checkJson(parsed.data, 'output');
  return parsed.data;
}

function getResource({ plan, action, subagents }: ActionContextOptions, name: string, type: ResourceTypeName): unknown {
  const resource = plan.resources.get(type)?.get(name);
  if (resource === undefined) {
    const known = Array.from(plan.resources.get(type)?.keys() ?? []);
    const remedy = known.length > 0 ? `Use one of: ${known.join(', ')}.` : `Add it with .addResource("${name}", …).`;
    throw new AgentError('UNKNOWN_RESOURCE', `Agent "${plan.name}" has no ${type} named "${name}". ${remedy}`);
  }
  const planned = type === ResourceType.AGENT ? plan.subagents.get(name) : undefined;
  return planned ? bind(planned, action, subagents) : resource.declaration;
}

/** A sub-agent belongs to the action that got it. */
function bind(planned: PlannedSubagent, action: ActionRun, subagents: SubagentCalls): Subagent {
  return {
    submit: (prompt, options) => {
      refuseInsideCall('submit');
      return subagents.submit(action, planned, prompt, options);
    },
  };
}
